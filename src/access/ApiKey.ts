/** How the gateway's own keys look: `gw_`, 32 random characters (190 bits), and six that check the rest. */
export const pattern = /^gw_[0-9A-Za-z]{38}$/

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

/** A new secret. */
export const generate = (): string => {
  const body = `gw_${randomText(32)}`
  return body + checksum(body)
}

/** A new public id. */
export const randomId = (prefix: string): string => `${prefix}_${randomText(20)}`

/**
 * Whether a secret that looks like ours was mistyped or cut. It only serves the message: an operator may choose any
 * other string as a key.
 */
export const isMistyped = (secret: string): boolean =>
  secret.startsWith("gw_") && !(pattern.test(secret) && secret.slice(-6) === checksum(secret.slice(0, -6)))

/** What is stored and looked up in place of a secret: all 256 bits, hex. */
export const hash = (secret: string): string => Bun.SHA256.hash(secret, "hex")

/** Enough to tell one's keys apart; of a key that a person chose, nothing. */
export const hint = (secret: string): string =>
  isMistyped(secret) || !pattern.test(secret) ? "" : secret.slice(-10, -6)

const randomText = (length: number) => {
  let text = ""
  while (text.length < length) {
    for (const byte of crypto.getRandomValues(new Uint8Array(length))) {
      // 248 is the largest multiple of 62 in a byte: above it the first letters would come up more often.
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
