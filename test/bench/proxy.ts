/**
 * The ceiling: a bare `Bun.serve` + `fetch` proxy to the address in its first argument. Synchronous answers are parsed
 * and serialised again, both ways; `/pipe` and `/pipe/chat` forward a stream's bytes, `/events` parses and serialises each event;
 * `/constant` answers one, `/echo` parses a body and answers JSON of the size of a short message. Prints its address.
 */
const upstream = process.argv[2] ?? "http://127.0.0.1:1"

const forward = async (request: Request, path: string) =>
  fetch(`${upstream}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: "Bearer upstream" },
    body: JSON.stringify(await request.json()),
    signal: request.signal
  })

const eachEvent = () => {
  const decoder = new TextDecoder()
  const encoder = new TextEncoder()
  let rest = ""
  return new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      const frames = (rest + decoder.decode(chunk, { stream: true })).split("\n\n")
      rest = frames.pop() ?? ""
      let text = ""
      for (const frame of frames) {
        const data = frame.slice(frame.indexOf("data: ") + 6)
        text += data === "[DONE]" ? `${frame}\n\n` : `data: ${JSON.stringify(JSON.parse(data))}\n\n`
      }
      if (text !== "") controller.enqueue(encoder.encode(text))
    }
  })
}

const sse = { headers: { "content-type": "text/event-stream" } }

/** As long as the sandbox's answer to a short question. */
const message = {
  id: "msg_0123456789abcdef0123456789abcdef",
  type: "message",
  role: "assistant",
  content: [{ type: "text", text: 'You said: "Hello!".' }],
  stop_reason: "end_turn",
  stop_sequence: null,
  usage: {
    input_tokens: 8,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
    cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 },
    output_tokens: 6
  }
}

const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  development: false,
  idleTimeout: 0,
  routes: {
    "/v1/messages": {
      POST: async (request) => Response.json(await (await forward(request, "/v1/messages")).json())
    },
    "/v1/chat/completions": {
      POST: async (request) => Response.json(await (await forward(request, "/v1/chat/completions")).json())
    },
    "/pipe/chat": {
      POST: async (request) => new Response((await forward(request, "/v1/chat/completions")).body, sse)
    },
    "/pipe": { POST: async (request) => new Response((await forward(request, "/v1/messages")).body, sse) },
    "/events": {
      POST: async (request) =>
        new Response((await forward(request, "/v1/chat/completions")).body?.pipeThrough(eachEvent()), sse)
    },
    "/constant": new Response(JSON.stringify({ id: "cgt-20260101000000-abcdefghij", status: "queued" }), {
      headers: { "content-type": "application/json" }
    }),
    "/echo": {
      POST: async (request) => Response.json({ ...message, model: ((await request.json()) as { model: string }).model })
    }
  }
})
console.log(`listens on ${server.url.href.replace(/\/$/, "")}`)

export {}
