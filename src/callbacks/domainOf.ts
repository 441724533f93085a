/**
 * The domain under which somebody registered a receiver's host: who owns it has as many hosts as they like. A guess, and
 * good enough to be fair by: two labels, or three where a country's registry sells names below `co`, `com` and the like.
 *
 * @param host a name or an address, with or without a port
 */
export const domainOf = (host: string): string => {
  const name = host.replace(/:\d{1,5}$/, "")
  if (name.startsWith("[") || /^[\d.]+$/.test(name)) return name
  const labels = name.split(".").filter((label) => label !== "")
  const [second = "", top = ""] = labels.slice(-2)
  const isSoldBelow = top.length === 2 && second.length <= 3
  return labels.slice(isSoldBelow ? -3 : -2).join(".")
}
