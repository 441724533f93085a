/** Removes trailing slashes from a base URL. */
export const withoutSlash = (url: string): string => {
  let end = url.length
  while (url[end - 1] === "/") end--
  return url.slice(0, end)
}
