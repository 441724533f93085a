/** A finished video's bytes. */
export const filed = Buffer.alloc(300_000, "the video; ")

/** A server of finished videos, as upstreams have them: it knows ranges. */
export const fileServer = () => {
  let filesAre: "there" | "moved" | "gone" = "there"
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: (asked) => {
      const { pathname } = new URL(asked.url)
      if (filesAre === "gone") return new Response("expired", { status: 403 })
      if (filesAre === "moved" && pathname !== "/v.mp4") return Response.redirect("/v.mp4")
      const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(asked.headers.get("range") ?? "") ?? []
      const headers = { "content-type": "video/mp4" }
      if (from === undefined) return new Response(filed, { headers })
      return new Response(filed.subarray(Number(from), Number(to) + 1), {
        status: 206,
        headers: { ...headers, "content-range": `bytes ${from}-${to}/${filed.length}` }
      })
    }
  })
  return {
    port: server.port,
    are: (place: typeof filesAre) => {
      filesAre = place
    },
    stop: () => server.stop(true)
  }
}

/** An image as far as its header goes. */
export const png = (width: number, height: number) => {
  const bytes = Buffer.alloc(64)
  bytes.write("\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "latin1")
  bytes.writeUInt32BE(width, 16)
  bytes.writeUInt32BE(height, 20)
  return bytes
}
