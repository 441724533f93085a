/** Supported content encodings. */
const formats: ReadonlyMap<string, string> = new Map([
  ["gzip", "gzip"],
  ["x-gzip", "gzip"],
  ["deflate", "deflate"],
  ["br", "brotli"],
  ["zstd", "zstd"]
])

/**
 * A body's bytes, unpacked as they are read: `fetch` unpacks everything received at once, and a few kilobytes may
 * expand to a gigabyte. Throws if the encoding is unknown.
 */
export const unpacked = ({ body, headers }: Response): ReadableStream<Uint8Array> | null => {
  const encoding = headers.get("content-encoding")?.trim().toLowerCase() ?? "identity"
  if (body === null || encoding === "identity" || encoding === "") return body
  const format = formats.get(encoding)
  if (format === undefined) throw new Error("unknown content encoding")
  // The platform supports more formats than its types list.
  const unpacking: ReadableWritablePair<Uint8Array, Uint8Array> = Reflect.construct(DecompressionStream, [format])
  return body.pipeThrough(unpacking)
}
