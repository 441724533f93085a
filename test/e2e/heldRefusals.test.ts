import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { connect } from "../responses/socket/connect.ts"
import { fakeUpstream } from "../upstreams/fakes/fakeUpstream.ts"
import { startGateway } from "../gatewayHere.ts"
import type { GatewayHere } from "../gatewayHere.ts"
import { request } from "../request.ts"

/** Calls that the upstream leaves unanswered until it refuses all of them at once. */
const held: Array<() => void> = []
const refuse = () => {
  for (const release of held.splice(0)) release()
}
const slow = fakeUpstream("openai-chat", {
  answer: ({ text }) =>
    text.includes("late-refusal") && !isAnswering
      ? new Promise<Response>((resolve) => {
          held.push(() => resolve(Response.json({ error: { message: "too hot", type: "t" } }, { status: 400 })))
        })
      : undefined
})
/** True: the upstream answers; false: it refuses. */
let isAnswering = false

let gateway: GatewayHere
beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), "gateway-held-"))
  writeFileSync(
    join(folder, "gateway.yaml"),
    `upstreams: { slow: { protocol: openai-chat, base_url: "${slow.url}/v1" } }
models: { house: slow }
`
  )
  gateway = await startGateway({ folder })
})
afterAll(async () => {
  await gateway.dispose()
  await slow.stop()
})

const post = (path: string, body: object, headers: Record<string, string> = {}) =>
  request(gateway, path, { body: { model: "house", ...body }, headers })

const message = (more: object) => ({ max_tokens: 10, messages: [{ role: "user", content: "late-refusal" }], ...more })

describe("a request that is refused once its held 200 has left", () => {
  it("gives back what it claimed, so that its retry is answered", async () => {
    const first = await post("/v1/messages", {
      ...message({ thread: { type: "create" } }),
      messages: [{ role: "user", content: "hello" }]
    })
    const { id } = (await first.json()) as { readonly id: string }
    const socket = await connect(gateway.url, gateway.key)
    const unstored = await socket.ask({ model: "house", input: "hello", store: false })

    const thread = message({ stream: true, thread: { type: "continue", previous_message_id: id } })
    const keyed = message({ stream: true })
    const key = { "idempotency-key": "held" }
    const continued = { model: "house", store: false, previous_response_id: unstored.response.id }
    // The socket's is held first, so its 200 has left when theirs do, after ten seconds.
    socket.send({ ...continued, input: "late-refusal" })
    await expect.poll(() => held.length).toBe(1)
    const streams = [post("/v1/messages", thread), post("/v1/messages", keyed, key)]
    const texts = (await Promise.all(streams)).map((response) => {
      expect(response.status).toBe(200)
      return response.text()
    })
    refuse()
    for (const text of await Promise.all(texts)) expect(text).toContain("too hot")
    expect((await socket.answer()).at(-1)).toMatchObject({ type: "error" })
    expect(await socket.next()).toMatchObject({ type: "response.failed" })

    isAnswering = true
    const again = await post("/v1/messages", thread)
    expect([again.status, await again.text()]).toEqual([200, expect.stringContaining("message_stop")])
    const replayed = await post("/v1/messages", keyed, key)
    expect(replayed.headers.get("idempotent-replayed")).toBeNull()
    expect(await replayed.text()).toContain("message_stop")
    expect(await socket.ask({ ...continued, input: "again" })).toMatchObject({
      type: "error",
      error: { code: "previous_response_not_found" }
    })
    socket.ws.close()
  })
})
