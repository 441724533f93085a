import { expect, it } from "@effect/vitest"
import OpenAI, { APIError } from "openai"
import { startGateway } from "../../e2e/process.ts"
import type { GatewayProcess } from "../../e2e/process.ts"
import { describeOnEach, gatewayEnv } from "../../sql/engines.ts"

const model = "sandbox-text"

describeOnEach("a conversation whose node is killed", ({ name }) => {
  const clientOf = ({ key, url }: GatewayProcess) => new OpenAI({ baseURL: `${url}/v1`, apiKey: key, maxRetries: 0 })

  it("is free again, and a background response goes on in it", async () => {
    const env = { ...(await gatewayEnv("held_conversations")), GATEWAY_SECRET: "one-secret-for-all-0123456789abcdef" }
    const first = await startGateway({ env })
    const second = name === "postgres" ? await startGateway({ env }) : undefined
    const client = clientOf(first)
    const [left, running] = await Promise.all([client.conversations.create(), client.conversations.create()])
    const slow = "[[sandbox: delay=3s]] Hello!"
    const queued = await client.responses.create({ model, input: slow, conversation: running.id, background: true })
    const cut = await client.responses.create({
      model,
      input: "[[sandbox: pace=100ms tokens=1000]]",
      conversation: left.id,
      stream: true
    })
    const ended = cut[Symbol.asyncIterator]().next()
    await ended
    if (second !== undefined) {
      const other = clientOf(second).responses.create({ model, input: "Hi", conversation: left.id })
      await expect(other).rejects.toMatchObject({ code: "conversation_locked" })
    }
    first.signal("SIGKILL")
    await first.exited
    const next = second ?? (await startGateway({ env, folder: first.folder }))
    try {
      const after = clientOf(next)
      await expect(after.responses.create({ model, input: "Hi", conversation: running.id })).rejects.toMatchObject({
        code: "conversation_locked"
      })
      for (;;) {
        const { status } = await after.responses.retrieve(queued.id)
        if (status === "completed") break
        expect(status).not.toBe("failed")
        await Bun.sleep(50)
      }
      const items = (await after.conversations.items.list(running.id)).data
      expect(items.map((item) => item.type === "message" && item.role)).toEqual(["assistant", "user"])
      for (;;) {
        const answer = await after.responses
          .create({ model, input: "Hi", conversation: left.id })
          .catch((error) => error)
        if (!(answer instanceof APIError)) break
        expect(answer.code).toBe("conversation_locked")
        await Bun.sleep(100)
      }
      expect((await after.conversations.items.list(left.id)).data).toHaveLength(2)
    } finally {
      await next.dispose()
      await first.dispose()
    }
  }, 60_000)
})
