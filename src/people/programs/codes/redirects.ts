/** The most characters of an address. */
const longest = 512

/** Members of the answer, which an address must not have itself. */
const answered = ["code", "state", "iss", "error", "error_description"]

const isLoopback = ({ hostname, protocol }: URL): boolean =>
  protocol === "http:" && /^(?:localhost|127\.0\.0\.1|\[::1\])$/.test(hostname)

/** True for an address that any program of the person's computer may listen at (RFC 8252, section 7.3). */
export const isOwnComputer = (redirect: string): boolean => {
  const url = URL.parse(redirect)
  return url !== null && isLoopback(url)
}

/** True for an address that a program may be answered at: https, or http on the person's own computer. */
export const isAllowedRedirect = (redirect: string): boolean => {
  if (!/^[\x21-\x7e]+$/.test(redirect) || redirect.length > longest || redirect.includes("#")) return false
  const url = URL.parse(redirect)
  if (url === null || url.username !== "" || url.password !== "") return false
  return (url.protocol === "https:" || isLoopback(url)) && !answered.some((name) => url.searchParams.has(name))
}

/** True for a registered address: the same text, but for the port on the person's own computer, which changes. */
export const isRegistered = (registered: ReadonlyArray<string>, redirect: string): boolean =>
  isAllowedRedirect(redirect) &&
  registered.some((one) => one === redirect || (isOwnComputer(one) && withoutPort(one) === withoutPort(redirect)))

const withoutPort = (redirect: string): string => {
  const url = new URL(redirect)
  url.port = ""
  return url.href
}

/** A program's address with the answer to its request. */
export const answeredAt = (redirect: string, answer: Readonly<Record<string, string | undefined>>): string => {
  const url = new URL(redirect)
  const members = Object.entries(answer).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))
  const query = new URLSearchParams(members).toString()
  return `${url.href}${url.search === "" ? (url.href.endsWith("?") ? "" : "?") : "&"}${query}`
}
