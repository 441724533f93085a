import type { JsonObject } from "../../../contract/fields.ts"
import { isObject, listAt, objectAt, textAt } from "../../../contract/json/json.ts"
import type { GenerationEvent } from "../../../generation/GenerationEvent.ts"
import { signedTextId } from "../../../generation/signedText.ts"
import type { CallSignatures } from "../../Upstream.ts"

/** Replaces the signature of another model, or a lost one. Source: "Thought signatures" in Google's documentation. */
export const standIn = "skip_thought_signature_validator"

/** The signed part of a text, with its place in UTF-16 units. It is often empty, at the end. */
export interface SignedPart {
  readonly start: number
  readonly end: number
  readonly signature: string
}

/** Has the signature of a text stored, with its place, under the text itself. */
export const signedText = (text: string, part: SignedPart | undefined): ReadonlyArray<GenerationEvent> =>
  part === undefined || text === ""
    ? []
    : [
        {
          type: "tool-call-signed",
          callId: signedTextId(text),
          signature: `${part.start}-${part.end}.${part.signature}`
        }
      ]

/** The parts of an assistant's text, cut where the signed one begins and ends. */
export const textParts = (text: string, signatures: CallSignatures): ReadonlyArray<JsonObject> => {
  if (text === "") return []
  const stored = signatures.size === 0 ? undefined : signatures.get(signedTextId(text))
  const [, start, end, thoughtSignature] = /^(\d+)-(\d+)\.(.*)$/.exec(stored ?? "") ?? []
  if (thoughtSignature === undefined) return [{ text }]
  const [before, after] = [text.slice(0, Number(start)), text.slice(Number(end))]
  return [
    ...(before === "" ? [] : [{ text: before }]),
    { text: text.slice(Number(start), Number(end)), thoughtSignature },
    ...(after === "" ? [] : [{ text: after }])
  ]
}

/** A request without its signatures, with stand-ins for those that the model requires; undefined if it has none. */
export const withoutSignatures = (body: JsonObject): JsonObject | undefined => {
  let isSigned = false
  const contents = listAt(body, "contents").map((content) => {
    const parts = listAt(content, "parts").filter(isObject)
    const first = textAt(content, "role") === "model" ? parts.findIndex(isCall) : -1
    return {
      role: textAt(content, "role"),
      parts: parts.map(({ thoughtSignature, ...part }, at) => {
        if (thoughtSignature !== undefined && thoughtSignature !== standIn) isSigned = true
        return at === first ? { ...part, thoughtSignature: standIn } : part
      })
    }
  })
  return isSigned ? { ...body, contents } : undefined
}

const isCall = (part: JsonObject): boolean => objectAt(part, "functionCall") !== undefined

/** True if a refusal is about signatures ("Corrupted thought signature."), so that a request without may succeed. */
export const isSignatureRefusal = (message: string): boolean => /thought[ _]signature/i.test(message)
