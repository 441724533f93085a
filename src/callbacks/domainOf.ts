/**
 * The registered domain of a receiver's host, because its owner can create any number of hosts. A guess, sufficient for
 * fairness: two labels, or three under registry labels such as `co` and `com`.
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
