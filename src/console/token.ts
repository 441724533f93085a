import { Redacted } from "effect"

/** A secret of 256 bits: the value of a session's cookie, or the end of a sign-in link. */
export const newToken = (): Redacted.Redacted =>
  Redacted.make(Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("base64url"))

/** The stored form of a token: SHA-256, hex. */
export const hashOf = (token: Redacted.Redacted): string => Bun.SHA256.hash(Redacted.value(token), "hex")

/** The CSRF token: sent with each change, and readable only by the gateway's own page. */
export const csrfOf = (token: Redacted.Redacted): string =>
  Bun.SHA256.hash(`csrf ${Redacted.value(token)}`, "base64url")

const cookieName = "gateway_session"
/** Browsers accept `__Host-` cookies only from this host and over TLS (RFC 6265bis, section 4.1.3.2). */
const secureName = `__Host-${cookieName}`
const pattern = /(?:^|; *)gateway_session=([\w-]{43})(?=;|$)/g
const securePattern = /(?:^|; *)__Host-gateway_session=([\w-]{43})(?=;|$)/g

/**
 * The session's token in a `Cookie` header; undefined if there are several, since another host may have set one.
 * @param isSecure true if browsers connect by TLS: only the `__Host-` cookie counts then
 */
export const tokenIn = (cookie: string, isSecure: boolean): Redacted.Redacted | undefined => {
  const [match, ...others] = [...cookie.matchAll(isSecure ? securePattern : pattern)]
  return match?.[1] === undefined || others.length > 0 ? undefined : Redacted.make(match[1])
}

/** The `Set-Cookie` value for a token; without one, it removes the cookie. */
export const cookieFor = (token: Redacted.Redacted | undefined, seconds: number, isSecure: boolean): string =>
  `${isSecure ? secureName : cookieName}=${token === undefined ? "" : Redacted.value(token)}; HttpOnly; SameSite=Strict; Path=/; ` +
  `Max-Age=${seconds}${isSecure ? "; Secure" : ""}`

/**
 * True if the browser says that another site's page sent the request.
 *
 * @param own the gateway's public URL, in case a proxy changes `Host`
 */
export const isForeign = (headers: Headers, own: string): boolean => {
  const site = headers.get("sec-fetch-site")
  if (site !== null && site !== "same-origin" && site !== "none") return true
  const origin = headers.get("origin")
  if (origin === null) return false
  const from = URL.parse(origin)
  return from === null || (from.host !== headers.get("host") && from.origin !== URL.parse(own)?.origin)
}
