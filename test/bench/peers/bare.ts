/**
 * `bare.ts <port> <upstream>`: what a proxy costs that does nothing. Bodies are piped both ways, whole or streamed; nothing
 * is read, checked or counted.
 */
const [, , port, upstream] = process.argv

Bun.serve({
  hostname: "127.0.0.1",
  port: Number(port),
  development: false,
  idleTimeout: 0,
  fetch: async (request) => {
    const { pathname } = new URL(request.url)
    const answer = await fetch(`${upstream}${pathname}`, {
      method: request.method,
      headers: { "content-type": "application/json", authorization: "Bearer upstream" },
      body: request.body,
      signal: request.signal
    })
    const type = answer.headers.get("content-type") ?? "application/json"
    return new Response(answer.body, { status: answer.status, headers: { "content-type": type } })
  }
})

export {}
