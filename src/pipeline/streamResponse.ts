import type { Incoming } from "../contract/handlers.ts"

/** True if the upstream's answer is no event stream: bytes without heartbeats, which a failure cuts. */
export const isOfBytes = ({ replyHeaders }: Incoming): boolean =>
  replyHeaders["content-type"]?.startsWith(events) === false

/** The response of a source of server-sent events. The source is only pulled when the reader takes a chunk. */
export const eventStream = (source: Bun.UnderlyingSource<Uint8Array>, { replyHeaders }: Incoming): Response =>
  new Response(new ReadableStream<Uint8Array>(source, { highWaterMark: 0 }), {
    headers: { ...replyHeaders, ...headers }
  })

/** The same of bytes of the content type that the upstream told. */
export const byteStream = (source: Bun.UnderlyingSource<Uint8Array>, { replyHeaders }: Incoming): Response =>
  new Response(new ReadableStream<Uint8Array>(source, { highWaterMark: 0 }), {
    headers: { ...replyHeaders, "cache-control": "no-cache" }
  })

const events = "text/event-stream"
const headers = {
  "content-type": `${events}; charset=utf-8`,
  "cache-control": "no-cache",
  "x-accel-buffering": "no"
}
