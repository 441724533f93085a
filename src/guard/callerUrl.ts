import { Either } from "effect"

const longest = 4096

/**
 * Parses a caller's address, or returns an error message. Stricter than URL parsers: what they repair (backslashes,
 * blanks, missing slashes, credentials) can disguise an address.
 */
export const parseCallerUrl = (written: string): Either.Either<URL, string> => {
  if (written.length > longest) return Either.left(`expected at most ${longest} characters; got ${written.length}`)
  const authority = /^https?:\/\/([^/?#]+)/i.exec(written)?.[1]
  if (authority === undefined) return Either.left("expected an address that starts with http:// or https://")
  if (/[\p{Cc}\p{Cf}\p{Z}\\]/u.test(written)) {
    return Either.left("expected an address without blanks, control characters and backslashes")
  }
  if (authority.includes("@")) return Either.left("expected an address without a user name or password")
  const url = URL.parse(written)
  if (url === null || url.port === "0" || hostOf(url) === "")
    return Either.left("expected a valid http or https address")
  return Either.right(url)
}

/** The host to resolve, to dial and to name in TLS, without brackets or a trailing dot. */
export const hostOf = (url: URL): string => url.hostname.replace(/^\[|\]$|\.$/g, "")
