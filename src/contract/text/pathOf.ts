/** The path of Bun's request URL. `new URL` would throw on a hostile `Host`. */
export const pathOf = ({ url }: Request): string => {
  // With an invalid `Host`, Bun's URL is the path alone.
  const start = url.startsWith("/") ? 0 : url.indexOf("/", url.indexOf("://") + 3)
  if (start === -1) return "/"
  const query = url.indexOf("?", start)
  return query === -1 ? url.slice(start) : url.slice(start, query)
}
