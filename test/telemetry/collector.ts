import { gunzipSync } from "node:zlib"
import { logsOf, spansOf } from "./otlp.ts"
import type { ReceivedLog, ReceivedSpan } from "./otlp.ts"

/*
 * A collector: takes spans and logs by OTLP over HTTP, in either encoding, and answers what it has at `/collected`.
 * `/be?how=NAME` has it answer otherwise from then on: a status, or one of `ways`.
 */
const spans: Array<ReceivedSpan> = []
const logs: Array<ReceivedLog> = []
const headers: Array<Record<string, string>> = []
/** Times at which something came, in ms. */
const came: Array<number> = []
let how = "200"

/** Answers that no collector should give. */
const ways: Readonly<Record<string, () => Response | Promise<Response>>> = {
  never: () => new Promise<Response>(() => {}),
  endless: () =>
    new Response(new ReadableStream({ pull: (to) => to.enqueue(new Uint8Array(64 * 1024).fill(32)) }), {
      headers: { "content-type": "application/json" }
    }),
  redirect: () => new Response(null, { status: 307, headers: { location: `${server.url.href}elsewhere` } }),
  later: () => new Response(null, { status: 429, headers: { "retry-after": "3" } }),
  muchLater: () => new Response(null, { status: 503, headers: { "retry-after": "99999999" } }),
  partial: () => Response.json({ partialSuccess: { rejectedLogRecords: "2", errorMessage: "too \uD800 old" } }),
  // ExportLogsServiceResponse { partial_success { rejected_log_records: 2 error_message: "too old" } }
  partialProtobuf: () =>
    new Response(new Uint8Array([0x0a, 0x0b, 0x08, 0x02, 0x12, 0x07, ...Buffer.from("too old")]), {
      headers: { "content-type": "application/x-protobuf" }
    }),
  garbage: () => new Response(new Uint8Array([0x0a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]))
}

const server = Bun.serve({
  port: Number(process.env["COLLECTOR_PORT"] ?? 0),
  hostname: "127.0.0.1",
  idleTimeout: 0,
  fetch: async (request) => {
    const { pathname, searchParams } = new URL(request.url)
    if (pathname === "/be") {
      how = searchParams.get("how") ?? "200"
      return new Response()
    }
    if (pathname === "/collected") return Response.json({ spans, logs, headers, came })
    const signal = { "/v1/traces": "spans", "/v1/logs": "logs" }[pathname]
    if (signal === undefined) {
      came.push(-1)
      return new Response(null, { status: 404 })
    }
    came.push(Date.now())
    const refusal = ways[how]
    if (refusal !== undefined) return refusal()
    if (how !== "200") return new Response(null, { status: Number(how) })
    const body = Buffer.from(await request.arrayBuffer())
    const plain = request.headers.get("content-encoding") === "gzip" ? gunzipSync(body) : body
    const type = request.headers.get("content-type") ?? ""
    headers.push(Object.fromEntries(request.headers))
    if (signal === "spans") spans.push(...spansOf(plain, type))
    else logs.push(...logsOf(plain, type))
    return new Response()
  }
})
process.stdout.write(`${server.url.href}\n`)
