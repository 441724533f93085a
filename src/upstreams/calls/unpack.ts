import { decompression } from "../../contract/bodies/decompression.ts"

/**
 * A body's bytes, unpacked as they are read: `fetch` unpacks everything received at once, and a few kilobytes may
 * expand to a gigabyte. Throws if the encoding is unknown.
 */
export const unpack = ({ body, headers }: Response): ReadableStream<Uint8Array> | null => {
  const encoding = headers.get("content-encoding")?.trim().toLowerCase() ?? "identity"
  if (body === null || encoding === "identity" || encoding === "") return body
  const unpacking = decompression(encoding)
  if (unpacking === undefined) throw new Error("unknown content encoding")
  return body.pipeThrough(unpacking)
}
