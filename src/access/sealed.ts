import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto"
import { Redacted } from "effect"

const ivLength = 12
const tagLength = 16

/**
 * Encrypts texts with AES-256-GCM under one key.
 *
 * @param key 32 bytes
 */
export const makeSeal = (key: Redacted.Redacted<Uint8Array>) => ({
  /** @param about what the text belongs to: it opens for the same alone */
  seal: (text: string, about: string): string => {
    const iv = randomBytes(ivLength)
    const cipher = createCipheriv("aes-256-gcm", Redacted.value(key), iv).setAAD(Buffer.from(about))
    const body = Buffer.concat([cipher.update(text, "utf8"), cipher.final()])
    return Buffer.concat([iv, cipher.getAuthTag(), body]).toString("base64url")
  },
  /** Undefined for a text that this key did not seal, or that was changed. */
  open: (sealed: string, about: string): string | undefined => {
    const bytes = Buffer.from(sealed, "base64url")
    if (bytes.length < ivLength + tagLength) return undefined
    try {
      const decipher = createDecipheriv("aes-256-gcm", Redacted.value(key), bytes.subarray(0, ivLength), {
        authTagLength: tagLength
      })
      decipher.setAAD(Buffer.from(about)).setAuthTag(bytes.subarray(ivLength, ivLength + tagLength))
      return Buffer.concat([decipher.update(bytes.subarray(ivLength + tagLength)), decipher.final()]).toString("utf8")
    } catch {
      return undefined
    }
  }
})
