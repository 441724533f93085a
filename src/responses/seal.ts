import type { ReasoningItem } from "../generation/Conversation.ts"

/**
 * `encrypted_content` of a reasoning item: what the model's upstream asks back, in a wrapper that tells the gateway's
 * own from other providers' and names the model, because no other model accepts it.
 */
export const seal = (model: string, reasoning: Omit<ReasoningItem, "type">): string =>
  prefix +
  Buffer.from(JSON.stringify([model, reasoning.text, reasoning.signature, reasoning.redacted])).toString("base64url")

/** undefined for another provider's, another model's or a damaged one: such reasoning is left out. */
export const unseal = (model: string, sealed: string): ReasoningItem | undefined => {
  if (!sealed.startsWith(prefix)) return undefined
  const parts = parse(Buffer.from(sealed.slice(prefix.length), "base64url").toString())
  if (!Array.isArray(parts) || parts[0] !== model) return undefined
  const [text, signature, redacted] = parts.slice(1).map((part) => (typeof part === "string" ? part : undefined))
  return { type: "reasoning", text: text ?? "", signature, redacted }
}

/** Whether a reasoning item's `encrypted_content` is the gateway's own wrapper. */
export const isSealed = (encrypted: string): boolean => encrypted.startsWith(prefix)

const prefix = "mg1."

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
