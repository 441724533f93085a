/** The platform's name of each content encoding. */
const formats: ReadonlyMap<string, string> = new Map([
  ["gzip", "gzip"],
  ["x-gzip", "gzip"],
  ["deflate", "deflate"],
  ["br", "brotli"],
  ["zstd", "zstd"]
])

/** Unpacks a content encoding piece by piece, so that a reader can stop; undefined if it is unknown. */
export const decompression = (encoding: string): ReadableWritablePair<Uint8Array, Uint8Array> | undefined => {
  const format = formats.get(encoding)
  // The platform supports more formats than its types list.
  return format === undefined ? undefined : Reflect.construct(DecompressionStream, [format])
}
