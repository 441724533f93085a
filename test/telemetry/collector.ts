import { gunzipSync } from "node:zlib"
import { spansOf } from "./otlp.ts"
import type { ReceivedSpan } from "./otlp.ts"

/*
 * A collector: takes spans by OTLP over HTTP, in either encoding, and answers what it has at `/spans`. `/be?status=503`
 * has it refuse what comes from then on.
 */
const spans: Array<ReceivedSpan> = []
const headers: Array<Record<string, string>> = []
let status = 200

const server = Bun.serve({
  port: Number(process.env["COLLECTOR_PORT"] ?? 0),
  hostname: "127.0.0.1",
  fetch: async (request) => {
    const { pathname, searchParams } = new URL(request.url)
    if (pathname === "/be") {
      status = Number(searchParams.get("status"))
      return new Response()
    }
    if (pathname === "/spans") return Response.json({ spans, headers })
    if (pathname !== "/v1/traces") return new Response(null, { status: 404 })
    if (status !== 200) return new Response(null, { status })
    const body = Buffer.from(await request.arrayBuffer())
    const plain = request.headers.get("content-encoding") === "gzip" ? gunzipSync(body) : body
    headers.push(Object.fromEntries(request.headers))
    spans.push(...spansOf(plain, request.headers.get("content-type") ?? ""))
    return new Response()
  }
})
process.stdout.write(`${server.url.href}\n`)
