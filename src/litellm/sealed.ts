import { createDecipheriv, createHash } from "node:crypto"
import { openSecretBox } from "./secretBox.ts"

const gcmPrefix = "v2:gcm:"

/**
 * Opens a value of LiteLLM's database: base64url of a secret box, or `v2:gcm:` and base64url of AES-256-GCM. Source:
 * `proxy/common_utils/encrypt_decrypt_utils.py`.
 *
 * @param saltKey `LITELLM_SALT_KEY`, otherwise the master key
 * @returns undefined if it is not sealed with this key
 */
export const openSealed = (text: string, saltKey: string): string | undefined => {
  const key = createHash("sha256").update(saltKey).digest()
  const isGcm = text.startsWith(gcmPrefix)
  const bytes = Buffer.from(isGcm ? text.slice(gcmPrefix.length) : text, "base64url")
  try {
    const opened = isGcm ? openGcm(bytes, key) : openSecretBox(bytes, key)
    return opened && new TextDecoder("utf-8", { fatal: true }).decode(opened)
  } catch {
    return undefined
  }
}

/** True for a text that may be a sealed value: one that can't be opened was sealed with another key. */
export const mayBeSealed = (text: string): boolean =>
  text.startsWith(gcmPrefix) ||
  (/^[A-Za-z0-9+/_-]{54,}={0,2}$/.test(text) && Buffer.from(text, "base64url").length >= 40)

const openGcm = (bytes: Uint8Array, key: Uint8Array): Uint8Array => {
  const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, 12))
  decipher.setAuthTag(bytes.subarray(-16))
  return Buffer.concat([decipher.update(bytes.subarray(12, -16)), decipher.final()])
}
