import { Redacted } from "effect"

/** A secret that opens a session, 256 bits: the value of its cookie, or the end of a link. */
export const newToken = (): Redacted.Redacted =>
  Redacted.make(Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("base64url"))

/** What is stored in its place. */
export const hashOf = (token: Redacted.Redacted): string => Bun.SHA256.hash(Redacted.value(token), "hex")

/** What a page sends with each change to show that it can read its session, which a page elsewhere can't. */
export const csrfOf = (token: Redacted.Redacted): string =>
  Bun.SHA256.hash(`csrf ${Redacted.value(token)}`, "base64url")

const cookieName = "gateway_session"
/** Nobody but this very host can set one that is called so, and only by TLS. */
const secureName = `__Host-${cookieName}`
const pattern = /(?:^|; *)gateway_session=([\w-]{43})(?=;|$)/g
const securePattern = /(?:^|; *)__Host-gateway_session=([\w-]{43})(?=;|$)/g

/**
 * The session's token in a `Cookie` header; none where there are several, of which a stranger may have set one.
 * @param isSecure whether the gateway is reached by TLS: what a neighbour or somebody on the way can set is none then
 */
export const tokenIn = (cookie: string, isSecure: boolean): Redacted.Redacted | undefined => {
  const [found, ...others] = [...cookie.matchAll(isSecure ? securePattern : pattern)]
  return found?.[1] === undefined || others.length > 0 ? undefined : Redacted.make(found[1])
}

/** `Set-Cookie` for a token, or to have the browser forget it. */
export const cookieFor = (token: Redacted.Redacted | undefined, seconds: number, isSecure: boolean): string =>
  `${isSecure ? secureName : cookieName}=${token === undefined ? "" : Redacted.value(token)}; HttpOnly; SameSite=Strict; Path=/; ` +
  `Max-Age=${seconds}${isSecure ? "; Secure" : ""}`

/**
 * Whether a browser says that another site's page sends a request.
 *
 * @param own the gateway's public URL, for where a proxy changes `Host`
 */
export const isForeign = (headers: Headers, own: string): boolean => {
  const site = headers.get("sec-fetch-site")
  if (site !== null && site !== "same-origin" && site !== "none") return true
  const origin = headers.get("origin")
  if (origin === null) return false
  const from = URL.parse(origin)
  return from === null || (from.host !== headers.get("host") && from.origin !== URL.parse(own)?.origin)
}
