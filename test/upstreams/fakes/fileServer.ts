import { gzipSync } from "node:zlib"
import { pagesOfText } from "../../guard/bodies/pdfs.ts"
import { pixel } from "../conversations.ts"

export const picture = Buffer.from(pixel, "base64")
export const plan = Buffer.from(pagesOfText(["The plan is simple"]))

/** A server of files, honest and hostile ones. `asked` has the paths that were asked for. */
export const startFileServer = () => {
  const asked: Array<string> = []
  let gone = 0
  const endless = () => {
    const chunk = new Uint8Array(65_536)
    chunk.set(picture)
    return new Response(new ReadableStream({ pull: (stream) => stream.enqueue(chunk), cancel: () => void gone++ }))
  }
  const silent = () => new Response(new ReadableStream({ cancel: () => void gone++ }))
  const routes: Readonly<Record<string, (url: URL) => Response>> = {
    // The type is a lie: the bytes count.
    "/picture.png": () => new Response(picture, { headers: { "content-type": "text/html" } }),
    "/picture": () => new Response(picture),
    "/plan.pdf": () => new Response(plan),
    "/page.png": () => new Response("<html></html>", { headers: { "content-type": "image/png" } }),
    "/cut.png": () => new Response(picture.subarray(0, 10)),
    "/bomb.png": () =>
      new Response(gzipSync(Buffer.alloc(50_000_000)), {
        headers: { "content-encoding": "gzip", "content-type": "image/png" }
      }),
    "/endless.png": endless,
    "/silent.png": silent,
    "/elsewhere": (url) =>
      new Response(null, { status: 302, headers: { location: url.searchParams.get("to") ?? "/elsewhere" } })
  }
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 60,
    fetch: (request) => {
      const url = new URL(request.url)
      asked.push(url.pathname)
      return routes[url.pathname]?.(url) ?? new Response("nothing here", { status: 404 })
    }
  })
  return {
    url: `http://127.0.0.1:${server.port}`,
    port: server.port,
    asked,
    /** Downloads that the reader ended. */
    gone: () => gone,
    stop: () => server.stop(true)
  }
}
