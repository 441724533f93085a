import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it, vi } from "@effect/vitest"
import { fakeUpstream } from "../../upstreams/fakes/fakeUpstream.ts"
import { startGateway } from "../../gatewayHere.ts"
import type { GatewayHere } from "../../gatewayHere.ts"

const usage = { prompt_tokens: 3, completion_tokens: 1, total_tokens: 4 }
const usages: Readonly<Record<string, object | undefined>> = {
  told: usage,
  untold: undefined,
  impossible: { ...usage, prompt_tokens: 900_000_000, total_tokens: 900_000_001 }
}

/** The model's id says how the answer ends, and what it tells of its usage: `stop.told`. */
const fake = fakeUpstream("openai-chat", {
  answer: ({ body }) => {
    const [finish_reason = "", kind = ""] = (body.model as string).split(".")
    const head = { id: "c", created: 1, model: body.model }
    const told = usages[kind] === undefined ? {} : { usage: usages[kind] }
    if (body.stream !== true) {
      const choice = { index: 0, message: { role: "assistant", content: "hi" }, finish_reason }
      return Response.json({ ...head, object: "chat.completion", choices: [choice], ...told })
    }
    const chunk = (delta: object, finish_reason: string | null, more = {}) =>
      `data: ${JSON.stringify({ ...head, object: "chat.completion.chunk", choices: [{ index: 0, delta, finish_reason }], ...more })}\n\n`
    return new Response(`${chunk({ content: "hi" }, null)}${chunk({}, finish_reason, told)}data: [DONE]\n\n`, {
      headers: { "content-type": "text/event-stream" }
    })
  }
})

const finishes = ["stop", "model_length", "MAX_TOKENS", "sensitive", "network_error", "new_one"]
const kinds = ["untold", "impossible"]

let gateway: GatewayHere
beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), "gateway-endings-"))
  const price = { input: 1, output: 1 }
  const priced = [...finishes.map((finish) => `${finish}.told`), ...kinds.map((kind) => `stop.${kind}`)]
  const models = Object.fromEntries(priced.map((model) => [model, { routes: [{ upstream: "chat", model }], price }]))
  const unpriced = { routes: [{ upstream: "chat", model: "stop.told" }] }
  writeFileSync(
    join(folder, "gateway.yaml"),
    JSON.stringify({
      upstreams: { chat: { protocol: "openai-chat", base_url: `${fake.url}/v1` } },
      models: { ...models, unpriced }
    })
  )
  gateway = await startGateway({ folder })
})
afterAll(async () => {
  await gateway.dispose()
  await fake.stop()
})

const headers = () => ({ authorization: `Bearer ${gateway.key}`, "content-type": "application/json" })
const messages = [{ role: "user", content: "Hi" }]
const bodies = {
  "chat/completions": { messages },
  messages: { messages, max_tokens: 10 },
  responses: { input: "Hi" }
}
const post = async (path: keyof typeof bodies, model: string, stream: boolean) => {
  const response = await fetch(`${gateway.url}/v1/${path}`, {
    method: "POST",
    headers: headers(),
    body: JSON.stringify({ model, stream, ...bodies[path] })
  })
  return { status: response.status, text: await response.text(), id: response.headers.get("x-request-id") ?? "" }
}

/** What the row of a request says is uncertain. */
const notesOf = (id: string) =>
  vi.waitFor(async () => {
    const response = await fetch(`${gateway.url}/v1/requests/${id}`, { headers: headers() })
    expect(response.status).toBe(200)
    return ((await response.json()) as { readonly notes: ReadonlyArray<string> }).notes
  })

/** How each family says that an answer of the upstream ended. */
const ends = [
  ["stop", '"stop_reason":"end_turn"', '"status":"completed"'],
  ["new_one", '"stop_reason":"end_turn"', '"status":"completed"'],
  ["model_length", '"stop_reason":"model_context_window_exceeded"', '"reason":"max_output_tokens"'],
  ["MAX_TOKENS", '"stop_reason":"max_tokens"', '"reason":"max_output_tokens"'],
  ["sensitive", '"stop_reason":"refusal"', '"reason":"content_filter"']
] as const

describe.each([
  ["whole", false],
  ["streamed", true]
] as const)("an answer, %s", (_, stream) => {
  it.each(ends)("that ends with %s", async (finish, inMessages, inResponses) => {
    const model = `${finish}.told`
    expect(await post("messages", model, stream)).toMatchObject({
      status: 200,
      text: expect.stringContaining(inMessages)
    })
    expect(await post("responses", model, stream)).toMatchObject({
      status: 200,
      text: expect.stringContaining(inResponses)
    })
    // Passed through, in the upstream's own words.
    const chat = await post("chat/completions", model, stream)
    expect(chat).toMatchObject({ status: 200, text: expect.stringContaining(`"finish_reason":"${finish}"`) })
    expect(await notesOf(chat.id)).toEqual(finish === "new_one" ? ["finish:new_one"] : [])
  })

  it("that ends with a failure is one", async () => {
    for (const path of ["messages", "responses", "chat/completions"] as const) {
      const { status, text } = await post(path, "network_error.told", stream)
      expect([path, status, text]).toEqual([path, 500, expect.stringContaining("upstream failed")])
      expect(text).not.toContain("[DONE]")
    }
  })

  it.each([
    ["stop.untold", ["usage_counted"]],
    ["stop.impossible", ["usage_doubted:input", "usage_counted"]],
    ["unpriced", ["unpriced"]]
  ])("%s: the request's row says what is uncertain of it", async (model, notes) => {
    for (const path of ["messages", "responses", "chat/completions"] as const) {
      expect([path, await notesOf((await post(path, model, stream)).id)]).toEqual([path, notes])
    }
  })
})
