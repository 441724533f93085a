/** True if a page's URL is in a domain: the domain or a subdomain of it, and below its path if it has one. */
export const isWithin = (address: string, domain: string): boolean => {
  const [host, path] = split(address)
  const [allowedHost, allowedPath] = split(
    domain
      .trim()
      .toLowerCase()
      .replace(/^https?:\/\//, "")
  )
  if (host !== allowedHost && !host.endsWith(`.${allowedHost}`)) return false
  const below = allowedPath.replace(/\/$/, "")
  if (below === "") return true
  if (!below.includes("*")) return path === below || path.startsWith(`${below}/`)
  const [before = "", after = ""] = below.split("*", 2)
  return path.startsWith(before) && path.slice(before.length).includes(after)
}

const split = (address: string): readonly [host: string, path: string] => {
  const slash = address.indexOf("/")
  return slash === -1
    ? [address.toLowerCase(), ""]
    : [address.slice(0, slash).toLowerCase(), address.slice(slash).toLowerCase()]
}
