/**
 * The ceiling: a bare `Bun.serve` + `fetch` proxy to the address in its first argument. Synchronous answers are parsed
 * and serialised again, both ways; `/pipe` forwards a stream's bytes, `/events` parses and serialises each event;
 * `/constant` answers one. Prints its address.
 */
const upstream = process.argv[2]
if (upstream === undefined) throw new Error("usage: proxy.ts <upstream>")

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

const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  development: false,
  idleTimeout: 0,
  routes: {
    "/v1/messages": {
      POST: async (request) => Response.json(await (await forward(request, "/v1/messages")).json())
    },
    "/pipe": { POST: async (request) => new Response((await forward(request, "/v1/messages")).body, sse) },
    "/events": {
      POST: async (request) =>
        new Response((await forward(request, "/v1/chat/completions")).body?.pipeThrough(eachEvent()), sse)
    },
    "/constant": new Response(JSON.stringify({ id: "cgt-20260101000000-abcdefghij", status: "queued" }), {
      headers: { "content-type": "application/json" }
    })
  }
})
console.log(`listens on ${server.url.href.replace(/\/$/, "")}`)

export {}
