import { Schema } from "effect"

const Asked = Schema.Struct({
  model: Schema.String,
  messages: Schema.Array(Schema.Struct({ role: Schema.String, content: Schema.Unknown }))
})

/** Tokens that each answer has used: enough that a few calls cost cents. */
const usage = {
  prompt_tokens: 2_000,
  completion_tokens: 400,
  total_tokens: 2_400,
  prompt_tokens_details: { cached_tokens: 500 }
}

/**
 * Upstreams of chat completions on one port: `/near` answers at once, `/far` after 300 ms, `/shaky` never; a message with
 * the word `impossible` is refused by each with 400; the answer to "Break off" ends in its middle.
 */
export const fakeUpstreams = () =>
  Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: async (request) => {
      const name = new URL(request.url).pathname.split("/")[1]
      if (name === "shaky")
        return Response.json({ error: { message: "overloaded", type: "server_error" } }, { status: 503 })
      const { messages, model } = Schema.decodeUnknownSync(Asked)(await request.json())
      const last = JSON.stringify(messages.at(-1)?.content ?? "")
      if (last.includes("impossible")) {
        return Response.json(
          { error: { message: "this prompt is impossible", type: "invalid_request_error", code: "bad_prompt" } },
          { status: 400 }
        )
      }
      if (last.includes("Break off")) return brokenOff(model)
      if (name === "far") await Bun.sleep(300)
      return Response.json({
        id: `chatcmpl-${crypto.randomUUID()}`,
        object: "chat.completion",
        created: Math.floor(Date.now() / 1_000),
        model,
        choices: [
          { index: 0, message: { role: "assistant", content: `Answer to ${last.slice(0, 80)}` }, finish_reason: "stop" }
        ],
        usage
      })
    }
  })

/** A stream that ends without a finish reason and `[DONE]`. */
const brokenOff = (model: string): Response => {
  const chunk = {
    id: "chatcmpl-broken",
    object: "chat.completion.chunk",
    created: 1_700_000_000,
    model,
    choices: [{ index: 0, delta: { role: "assistant", content: "It begins" }, finish_reason: null }]
  }
  return new Response(`data: ${JSON.stringify(chunk)}\n\n`, { headers: { "content-type": "text/event-stream" } })
}
