/** A proxy that serves a gateway below a path, which it takes off. Everything else there is a 404. */
export const startStripping = (path: string) => {
  let target = ""
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    fetch: (request) => {
      const { pathname, search } = new URL(request.url)
      if (!pathname.startsWith(`${path}/`)) return new Response("not the gateway's", { status: 404 })
      const headers = new Headers(request.headers)
      headers.delete("accept-encoding")
      return fetch(target + pathname.slice(path.length) + search, {
        method: request.method,
        headers,
        body: request.body,
        redirect: "manual",
        signal: request.signal
      })
    }
  })
  return {
    /** The gateway's address for clients. */
    url: `http://127.0.0.1:${server.port ?? 0}${path}`,
    passTo: (url: string) => {
      target = url
    },
    stop: () => server.stop(true)
  }
}
