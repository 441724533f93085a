/** A file as HTTP has it: whole, or the one range that was asked for (RFC 9110, section 14). */
export const fileResponse = async (path: string, asked: Headers): Promise<Response> => {
  const file = Bun.file(path)
  const { size } = file
  const headers = {
    "content-type": file.type,
    "accept-ranges": "bytes",
    // A file never changes under its name.
    etag: `"${size.toString(36)}-${Math.floor(file.lastModified).toString(36)}"`,
    "cache-control": "private, max-age=3600",
    "x-content-type-options": "nosniff"
  }
  if (asked.get("if-none-match") === headers.etag) return new Response(null, { status: 304, headers })
  const condition = asked.get("if-range")
  const range = condition === null || condition === headers.etag ? rangeOf(asked.get("range"), size) : "whole"
  switch (range) {
    case "whole":
      return new Response(await file.bytes(), { headers })
    case "unsatisfiable":
      return new Response(null, { status: 416, headers: { ...headers, "content-range": `bytes */${size}` } })
    default: {
      const { first, last } = range
      const part = await file.slice(first, last + 1).bytes()
      return new Response(part, {
        status: 206,
        headers: { ...headers, "content-range": `bytes ${first}-${last}/${size}` }
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
