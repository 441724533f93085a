/** The path of a URL as Bun gives it; `new URL` would throw on a hostile `Host`. */
export const pathOf = ({ url }: Request): string => {
  // After a `Host` that is none, Bun leaves the path alone.
  const start = url.startsWith("/") ? 0 : url.indexOf("/", url.indexOf("://") + 3)
  if (start === -1) return "/"
  const query = url.indexOf("?", start)
  return query === -1 ? url.slice(start) : url.slice(start, query)
}
