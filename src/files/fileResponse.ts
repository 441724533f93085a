import type { StoredFile } from "./Files.ts"

/**
 * Answers of so many bytes are read before they leave: Bun tells the length of a stream only where it reads a local file
 * itself, and what can't be read is an error still.
 */
const readWhole = 4 * 1024 ** 2

/**
 * A file as HTTP has it: whole, or the one range that was asked for (RFC 9110, section 14). Its bytes go through as they
 * are read: a bucket's address is for the gateway alone.
 */
export const fileResponse = async (
  { modifiedMs, part, size }: StoredFile,
  name: string,
  asked: Headers
): Promise<Response> => {
  const body = (first: number, last: number) =>
    last - first < readWhole ? new Response(part(first, last)).bytes() : part(first, last)
  const headers = {
    "content-type": Bun.file(name).type,
    "accept-ranges": "bytes",
    // A file never changes under its name.
    etag: `"${size.toString(36)}-${Math.floor(modifiedMs).toString(36)}"`,
    "cache-control": "private, max-age=3600",
    "x-content-type-options": "nosniff"
  }
  if (asked.get("if-none-match") === headers.etag) return new Response(null, { status: 304, headers })
  const condition = asked.get("if-range")
  const range = condition === null || condition === headers.etag ? rangeOf(asked.get("range"), size) : "whole"
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

/** Several ranges at once, other units and nonsense are answered with the whole file, as the standard allows. */
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
