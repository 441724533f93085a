/** What a body may be packed with. */
const formats: ReadonlyMap<string, string> = new Map([
  ["gzip", "gzip"],
  ["x-gzip", "gzip"],
  ["deflate", "deflate"],
  ["br", "brotli"],
  ["zstd", "zstd"]
])

/**
 * A body's own bytes, unpacked a little at a time as somebody reads them: `fetch` unpacks what has come at once, and a few
 * kilobytes may hold a gigabyte. Throws where it is packed in a way that nobody here knows.
 */
export const unpacked = ({ body, headers }: Response): ReadableStream<Uint8Array> | null => {
  const encoding = headers.get("content-encoding")?.trim().toLowerCase() ?? "identity"
  if (body === null || encoding === "identity" || encoding === "") return body
  const format = formats.get(encoding)
  if (format === undefined) throw new Error("packed in an unknown way")
  // The platform knows more formats than its types do.
  const unpacking: ReadableWritablePair<Uint8Array, Uint8Array> = Reflect.construct(DecompressionStream, [format])
  return body.pipeThrough(unpacking)
}
