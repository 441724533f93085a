import { createHash } from "node:crypto"

/** Replaces a signature where none is known; the real service accepts it too. */
export const standIn = "skip_thought_signature_validator"

const sign = (...signed: ReadonlyArray<unknown>): string =>
  createHash("sha256").update(JSON.stringify(signed)).digest("base64")

/** The signature of a call, which no other call has. */
export const callSignature = (name: unknown, args: unknown): string => sign("call", name, args)

/** The signature behind a text. */
export const textSignature = (text: string): string => sign("text", text)
