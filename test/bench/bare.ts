/**
 * What Bun can do at the least: parses the body and answers JSON of the same size as the gateway's short answer.
 * Prints its address.
 */
const answer = {
  id: "msg_0123456789abcdef0123456789abcdef",
  type: "message",
  role: "assistant",
  model: "sandbox-text",
  content: [{ type: "text", text: "You said: Hello!" }],
  stop_reason: "end_turn",
  stop_sequence: null,
  usage: {
    input_tokens: 10,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
    cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 },
    output_tokens: 12
  }
}

const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  development: false,
  routes: {
    "/v1/messages": {
      POST: async (request) => {
        const body = (await request.json()) as { model: string }
        return Response.json({ ...answer, model: body.model })
      }
    }
  }
})
console.log(`listens on ${server.url.href.replace(/\/$/, "")}`)

export {}
