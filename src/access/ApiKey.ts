/** The format of generated keys: `gw_`, 32 random characters (190 bits) and a checksum of six. */
export const pattern = /^gw_[0-9A-Za-z]{38}$/

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

/** A new secret. */
export const generate = (): string => {
  const body = `gw_${randomText(32)}`
  return body + checksum(body)
}

/** A new public id. */
export const randomId = (prefix: string): string => `${prefix}_${randomText(20)}`

/** True for a secret in the generated format with a wrong checksum. For error messages: operators may choose any key. */
export const isMistyped = (secret: string): boolean =>
  secret.startsWith("gw_") && !(pattern.test(secret) && secret.slice(-6) === checksum(secret.slice(0, -6)))

/** SHA-256 in hex, stored and looked up instead of the secret. */
export const hash = (secret: string): string => Bun.SHA256.hash(secret, "hex")

/** Four characters that help to tell keys apart; empty for a key chosen by the operator. */
export const hint = (secret: string): string =>
  isMistyped(secret) || !pattern.test(secret) ? "" : secret.slice(-10, -6)

const randomText = (length: number) => {
  let text = ""
  while (text.length < length) {
    for (const byte of crypto.getRandomValues(new Uint8Array(length))) {
      // 248 is the largest multiple of 62 in a byte; larger values would favour the first letters.
      if (byte < 248 && text.length < length) text += alphabet[byte % 62]
    }
  }
  return text
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
