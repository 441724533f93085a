import { afterAll, describe, expect, it } from "@effect/vitest"
import type { ResponseInputItem } from "openai/resources/responses/responses"
import { fakeUpstream } from "../upstreams/fakes/fakeUpstream.ts"
import { approvals, otherKey } from "./approvals.ts"
import type { Asking } from "./approvals.ts"

const refused = fakeUpstream("openai-chat", { answer: () => Response.json({}, { status: 503 }) })
afterAll(() => refused.stop())
const { answer, ask, at, calls, chat, create, openai, seen, server } = approvals((url) => ({
  upstreams: {
    chat: { protocol: "openai-chat", base_url: url },
    away: { protocol: "openai-chat", base_url: `${refused.url}/v1` }
  },
  models: { house: "chat", away: "away", twice: { routes: [{ upstream: "away" }, { upstream: "chat" }] } }
}))

describe("an approved call", () => {
  it("runs once, however many routes refuse the request", async () => {
    const first = await ask({ model: "twice" })
    const refusing = chat.asked.length
    const next = await create({
      model: "twice",
      previous_response_id: first.id,
      input: [answer(first.output[1]?.id, true)]
    })
    expect(next.output.map(({ type }) => type)).toEqual(["mcp_call", "message"])
    expect(refused.asked.length).toBeGreaterThan(0)
    expect(chat.asked).toHaveLength(refusing + 1)
    expect(calls()).toBe(1)
  })

  it("runs once for an approval that is sent several times, also after a request that failed", async () => {
    for (const store of [true, false]) {
      seen.length = 0
      const first = await ask({ store })
      const given = answer(first.output[1]?.id, true)
      const next: Asking = store
        ? { previous_response_id: first.id, input: [given] }
        : { store, input: [...(first.output as Array<ResponseInputItem>), given] }
      await expect(create({ ...next, model: "away" })).rejects.toMatchObject({ status: 500 })
      expect(calls()).toBe(1)
      const all = await Promise.all([create(next), create(next, true), create(next)])
      for (const { output } of all) {
        expect(output).toMatchObject([
          { type: "mcp_call", approval_request_id: first.output[1]?.id, output: "A 6", status: "completed" },
          { type: "message" }
        ])
      }
      expect(calls()).toBe(1)
    }
  })

  it("is another account's own, by the same id", async () => {
    const asked = {
      type: "mcp_approval_request" as const,
      id: "mcpr_same",
      server_label: "dice",
      name: "roll",
      arguments: '{"sides":9}'
    }
    const body = { model: "house", store: false, tools: [server()], input: [asked, answer("mcpr_same", true)] }
    for (const key of [at().key, otherKey]) {
      const { output } = await openai(key).responses.create(body)
      expect(output).toMatchObject([
        { type: "mcp_list_tools" },
        { type: "mcp_call", output: "A 9" },
        { type: "message" }
      ])
    }
    expect(calls()).toBe(2)
  })

  it("gives its end to no other call that a caller makes with the same approval", async () => {
    const made = (sides: number) => {
      const asked = {
        type: "mcp_approval_request" as const,
        id: "mcpr_forged",
        server_label: "dice",
        name: "roll",
        arguments: JSON.stringify({ sides })
      }
      return create({ store: false, input: [asked, answer("mcpr_forged", true)] })
    }
    expect((await made(9)).output[1]).toMatchObject({ type: "mcp_call", output: "A 9" })
    const other = await made(20)
    expect(other.output[1]).toMatchObject({ type: "mcp_call", status: "failed", output: null })
    expect(other.output_text).toContain("used up by another call")
    expect((await made(9)).output[1]).toMatchObject({ type: "mcp_call", output: "A 9" })
    expect(calls()).toBe(1)
  })

  it("ends with a client that leaves, and is not made again: it may have taken effect", async () => {
    const ended = Promise.withResolvers<void>()
    const leave = new AbortController()
    let made = 0
    const slow = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: async (asked) => {
        const { id, method } = await asked.json()
        const tools = [{ name: "roll", inputSchema: { type: "object" } }]
        if (method === "tools/list") {
          return Response.json({ jsonrpc: "2.0", id, result: { resultType: "complete", tools } })
        }
        made++
        asked.signal.addEventListener("abort", () => ended.resolve())
        leave.abort()
        return await new Promise<Response>(() => {})
      }
    })
    const tools = [server({ server_url: `http://127.0.0.1:${slow.port}/mcp` })]
    const first = await ask({ tools })
    const asked = { previous_response_id: first.id, input: [answer(first.output[1]?.id, true)] }
    const left = openai().responses.create({ model: "house", tools, ...asked }, { signal: leave.signal })
    await expect(left).rejects.toThrow()
    await ended.promise
    const { output, output_text } = await create({ tools, ...asked })
    expect(output).toMatchObject([{ type: "mcp_call", status: "failed", output: null }, { type: "message" }])
    expect(output_text).toContain("it may have taken effect")
    expect(made).toBe(1)
    await slow.stop(true)
  })
})
