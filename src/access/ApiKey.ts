import { createHmac } from "node:crypto"
import { Redacted } from "effect"
import type { Hint } from "../contract/callers/keyHint.ts"

/** The format of generated keys: `gw_`, 32 random characters (190 bits) and a checksum of six. */
export const pattern = /^gw_[0-9A-Za-z]{38}$/

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

/** A new secret. */
export const generate = (): string => {
  const body = `gw_${randomText(randomLength)}`
  return body + checksum(body)
}

/** A new token of a person's sign-in: for requests, or to get the next one. It has a key's form, with another beginning. */
export const generateToken = (kind: "access" | "refresh"): string => tokenOf(kind, randomText(randomLength))

/**
 * The token that comes in the place of another one, the same each time that one is sent.
 *
 * @param secret what only the gateway knows
 */
export const succeedingToken = (
  kind: "access" | "refresh",
  token: Redacted.Redacted,
  secret: Redacted.Redacted<Uint8Array>
): string => tokenOf(kind, textOf(derivedBytes(Redacted.value(secret), `${kind} ${Redacted.value(token)}`)))

const tokenOf = (kind: "access" | "refresh", text: string): string => {
  const body = `${kind === "access" ? accessTokenBegins : "gwr_"}${text}`
  return body + checksum(body)
}

const accessTokenBegins = "gwt_"

/** True for a token of a person's sign-in, which is looked up elsewhere than keys. */
export const isToken = (secret: string): boolean => secret.startsWith(accessTokenBegins)

/** A new public id. */
export const randomId = (prefix: string): string => `${prefix}_${randomText(20)}`

/** True for a secret in the generated format with a wrong checksum. For error messages: operators may choose any key. */
export const isMistyped = (secret: string): boolean =>
  secret.startsWith("gw_") && !(pattern.test(secret) && secret.slice(-6) === checksum(secret.slice(0, -6)))

/** SHA-256 in hex, stored and looked up instead of the secret. */
export const hash = (secret: string): string => Bun.SHA256.hash(secret, "hex")

/** The hint of a new secret, its end; without text for a key chosen by the operator, which may be easy to guess. */
export const hint = (secret: string): Hint => ({
  text: pattern.test(secret) && !isMistyped(secret) ? secret.slice(-4) : "",
  form: "end"
})

/**
 * The hints of the keys that a text may be a part of: a secret's end or all of it, its beginning as far as an older
 * hint, or a secret with its middle left out (`gw_…wxyz`, `sk-***wxyz`, `…abcd……`).
 */
export const hintsOf = (text: string): ReadonlyArray<Hint> => {
  const [last = "", ...before] = text.split(/[…*•]+|\.{2,}/).toReversed()
  if (last === "") return hintOf("middle", before.find((part) => part !== "")?.slice(-4))
  const ends = [...hintOf("end", last.slice(-4)), ...hintOf("middle", last.slice(-10, -6))]
  if (before.length === 0 && last.length === 4) return [...ends, { form: "middle", text: last }]
  const isBeginning = before.length === 0 && last.startsWith("gw_") && last.length < secretLength
  return isBeginning ? [...ends, ...hintOf("middle", last.slice(secretLength - 10, secretLength - 6))] : ends
}

const hintOf = (form: Hint["form"], text = ""): ReadonlyArray<Hint> => (text.length === 4 ? [{ form, text }] : [])

const secretLength = 41

const randomLength = 32

const randomText = (length: number) => textOf(() => crypto.getRandomValues(new Uint8Array(length)), length)

/** @param more further bytes */
const textOf = (more: () => Uint8Array, length = randomLength) => {
  let text = ""
  while (text.length < length) {
    for (const byte of more()) {
      // 248 is the largest multiple of 62 in a byte; larger values would favour the first letters.
      if (byte < 248 && text.length < length) text += alphabet[byte % 62]
    }
  }
  return text
}

/** The same bytes for the same name, block by block. */
const derivedBytes = (secret: Uint8Array, name: string): (() => Uint8Array) => {
  let block = 0
  return () => createHmac("sha256", secret).update(`${block++} ${name}`).digest()
}

const checksum = (body: string) => {
  let rest = Bun.hash.crc32(body)
  let text = ""
  for (let i = 0; i < 6; i++) {
    text = alphabet[rest % 62] + text
    rest = Math.floor(rest / 62)
  }
  return text
}
