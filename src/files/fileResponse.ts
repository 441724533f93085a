import type { StoredFile } from "./Files.ts"

/**
 * Answers below this many bytes are read completely first: Bun sends no `content-length` for most streams, and a read
 * error can still become an error answer.
 */
const readWhole = 4 * 1024 ** 2

/**
 * Serves a file, or one range of it (RFC 9110, section 14). Streams the bytes through the gateway, because callers can't
 * reach the bucket.
 */
export const fileResponse = async (
  { modifiedMs, part, size }: StoredFile,
  mediaType: string,
  requestHeaders: Headers,
  more: Readonly<Record<string, string>> = {}
): Promise<Response> => {
  const body = (first: number, last: number) =>
    last - first < readWhole ? new Response(part(first, last)).bytes() : part(first, last)
  const headers = {
    ...more,
    "content-type": mediaType,
    "accept-ranges": "bytes",
    // Files never change.
    etag: `"${size.toString(36)}-${Math.floor(modifiedMs).toString(36)}"`,
    "cache-control": "private, max-age=3600",
    "x-content-type-options": "nosniff"
  }
  if (requestHeaders.get("if-none-match") === headers.etag) return new Response(null, { status: 304, headers })
  const condition = requestHeaders.get("if-range")
  const range = condition === null || condition === headers.etag ? rangeOf(requestHeaders.get("range"), size) : "whole"
  switch (range) {
    case "whole":
      return new Response(await body(0, size - 1), { headers: { ...headers, "content-length": String(size) } })
    case "unsatisfiable":
      return new Response(null, { status: 416, headers: { ...headers, "content-range": `bytes */${size}` } })
    default: {
      const { first, last } = range
      return new Response(await body(first, last), {
        status: 206,
        headers: {
          ...headers,
          "content-length": String(last - first + 1),
          "content-range": `bytes ${first}-${last}/${size}`
        }
      })
    }
  }
}

type Range = { readonly first: number; readonly last: number } | "whole" | "unsatisfiable"

/** Multiple ranges, other units and invalid ranges get the whole file, as the standard allows. */
export const rangeOf = (header: string | null, size: number): Range => {
  const [, from = "", to = ""] = /^bytes=(\d*)-(\d*)$/.exec(header?.trim() ?? "") ?? []
  if (from === "" && to === "") return "whole"
  if (from === "") {
    const length = Math.min(Number(to), size)
    return length === 0 ? "unsatisfiable" : { first: size - length, last: size - 1 }
  }
  const first = Number(from)
  const last = to === "" ? size - 1 : Math.min(Number(to), size - 1)
  if (to !== "" && Number(to) < first) return "whole"
  return first >= size ? "unsatisfiable" : { first, last }
}
