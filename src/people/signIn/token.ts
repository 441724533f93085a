import { Redacted } from "effect"
import type { EntryPoint } from "../../config/EntryPoints.ts"

/** A secret of 256 bits: the value of a session's cookie, or the end of a sign-in link. */
export const newToken = (): Redacted.Redacted =>
  Redacted.make(Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("base64url"))

/**
 * The stored form of a token: SHA-256, hex. A session counts only at the address where it was opened: browsers send cookies
 * to every port of a host.
 */
export const hashOf = (token: Redacted.Redacted, entry: EntryPoint["name"] = "whole"): string =>
  Bun.SHA256.hash(entry === "whole" ? Redacted.value(token) : `${entry} ${Redacted.value(token)}`, "hex")

/** The CSRF token: sent with each change, and readable only by the gateway's own page. */
export const csrfOf = (token: Redacted.Redacted): string =>
  Bun.SHA256.hash(`csrf ${Redacted.value(token)}`, "base64url")

/** The page's place, which its cookie is bound to. */
export interface CookiePlace {
  readonly entry: EntryPoint["name"]
  /** True if browsers connect by TLS. */
  readonly isSecure: boolean
  /** The path of the address for clients; empty if there is none. */
  readonly path: string
}

/**
 * Browsers accept `__Host-` cookies only from this host, over TLS and for all its paths, `__Secure-` ones over TLS (RFC
 * 6265bis, section 4.1.3). Below a path, where other gateways may have theirs, the cookie is bound to it. The operators' own
 * address has names of its own, so that the two of one host don't replace each other's.
 */
const nameOf = ({ entry, isSecure, path }: CookiePlace, name: "session" | "sign_in" | "connect" = "session"): string =>
  `${isSecure ? (path === "" ? "__Host-" : "__Secure-") : ""}gateway_${entry === "admin" ? "admin_" : ""}${name}`

const wellFormed = /^[\w-]{43}$/

/** The session's token in a `Cookie` header; undefined if there are several, since another host may have set one. */
export const tokenIn = (cookie: string, place: CookiePlace): Redacted.Redacted | undefined => {
  return onlyIn(cookie, nameOf(place), wellFormed)
}

const onlyIn = (cookie: string, name: string, form: RegExp): Redacted.Redacted | undefined => {
  const begin = `${name}=`
  const tokens = cookie.split(";").flatMap((one) => {
    const pair = one.trimStart()
    return pair.startsWith(begin) && form.test(pair.slice(begin.length)) ? [pair.slice(begin.length)] : []
  })
  const [only, ...others] = tokens
  return only === undefined || others.length > 0 ? undefined : Redacted.make(only)
}

/** The text that a browser keeps while its person is at a provider. */
export const signInCookieIn = (cookie: string, place: CookiePlace): Redacted.Redacted | undefined =>
  onlyIn(cookie, nameOf(place, "sign_in"), /^[\w-]{1,4000}$/)

/** The same while they connect an account at a server of tools. */
export const connectCookieIn = (cookie: string, place: CookiePlace): Redacted.Redacted | undefined =>
  onlyIn(cookie, nameOf(place, "connect"), /^[\w-]{1,4000}$/)

/**
 * The same as `Set-Cookie`; without a text, it removes the cookie. Browsers send a `Strict` one not when a provider of
 * another site sends them back, so this one is `Lax`.
 */
export const signInCookieFor = (text: Redacted.Redacted | undefined, seconds: number, place: CookiePlace): string =>
  laxCookie(nameOf(place, "sign_in"), text, seconds, place)

/** The same while they connect an account at a server of tools. */
export const connectCookieFor = (text: Redacted.Redacted | undefined, seconds: number, place: CookiePlace): string =>
  laxCookie(nameOf(place, "connect"), text, seconds, place)

const laxCookie = (name: string, text: Redacted.Redacted | undefined, seconds: number, place: CookiePlace): string =>
  `${name}=${text === undefined ? "" : Redacted.value(text)}; HttpOnly; SameSite=Lax; ` +
  `Path=${place.path || "/"}; Max-Age=${seconds}${place.isSecure ? "; Secure" : ""}`

/** The `Set-Cookie` value for a token; without one, it removes the cookie. */
export const cookieFor = (token: Redacted.Redacted | undefined, seconds: number, place: CookiePlace): string =>
  `${nameOf(place)}=${token === undefined ? "" : Redacted.value(token)}; HttpOnly; SameSite=Strict; Path=${place.path || "/"}; ` +
  `Max-Age=${seconds}${place.isSecure ? "; Secure" : ""}`
