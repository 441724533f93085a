import type { JsonObject } from "../../../contract/fields.ts"
import { isObject, listAt, objectAt, textAt } from "../../../contract/json/json.ts"
import { appendText } from "../../../generation/appendText.ts"
import type { GenerationEvent } from "../../../generation/GenerationEvent.ts"
import { signedTextId } from "../../../generation/signedText.ts"
import type { CallSignatures } from "../../Upstream.ts"
import { isServerPart } from "./serverParts.ts"

/** Replaces the signature of another model, or a lost one. Source: "Thought signatures" in Google's documentation. */
export const standIn = "skip_thought_signature_validator"

/** A text with the signed ones of its parts, each by its place in UTF-16 units: `start-end.signature`. */
export interface SignedText {
  readonly text: string
  readonly signed: ReadonlyArray<string>
}

export const noText: SignedText = { text: "", signed: [] }

/** More signed parts of a text are not kept. */
const mostSigned = 64

/** A text with its next part, which is often empty where it is signed. */
export const withPart = ({ signed, text }: SignedText, part: string, signature: string | undefined): SignedText => {
  const whole = appendText(text, part)
  if (signature === undefined || signed.length === mostSigned) return { text: whole, signed }
  return { text: whole, signed: [...signed, `${text.length}-${whole.length}.${signature}`] }
}

/** Has the signatures of a text stored, with their places, under the text itself. */
export const signedText = ({ signed, text }: SignedText): ReadonlyArray<GenerationEvent> =>
  signed.length === 0 || text === ""
    ? []
    : [{ type: "tool-call-signed", callId: signedTextId(text), signature: signed.join(" ") }]

/** The parts of an assistant's text, cut where signed ones begin and end. */
export const textParts = (text: string, signatures: CallSignatures): ReadonlyArray<JsonObject> => {
  if (text === "") return []
  const stored = signatures.size === 0 ? undefined : signatures.get(signedTextId(text))
  const parts: Array<JsonObject> = []
  let at = 0
  const say = (until: number) => {
    if (until > at) parts.push({ text: text.slice(at, until) })
    at = until
  }
  for (const place of stored?.split(" ") ?? []) {
    const [, start, end, thoughtSignature] = /^(\d+)-(\d+)\.(.*)$/.exec(place) ?? []
    if (thoughtSignature === undefined) continue
    say(Number(start))
    at = Number(end)
    parts.push({ text: text.slice(Number(start), at), thoughtSignature })
  }
  say(text.length)
  return parts
}

/** A request without its signatures, with stand-ins for those that the model requires; undefined if it has none. */
export const withoutSignatures = (body: JsonObject): JsonObject | undefined => {
  let isSigned = false
  const contents = listAt(body, "contents").map((content) => {
    const parts = listAt(content, "parts")
      .filter(isObject)
      .filter((part) => !isServerPart(part))
    const first = textAt(content, "role") === "model" ? parts.findIndex(isCall) : -1
    return {
      role: textAt(content, "role"),
      parts: parts.map(({ thoughtSignature, ...part }, at) => {
        if (thoughtSignature !== undefined && thoughtSignature !== standIn) isSigned = true
        const isRequired = at === first || (thoughtSignature !== undefined && part["inlineData"] !== undefined)
        return isRequired ? { ...part, thoughtSignature: standIn } : part
      })
    }
  })
  return isSigned ? { ...body, contents } : undefined
}

const isCall = (part: JsonObject): boolean => objectAt(part, "functionCall") !== undefined

/** True if a refusal is about signatures ("Corrupted thought signature."), so that a request without may succeed. */
export const isSignatureRefusal = (message: string): boolean => /thought[ _]signature/i.test(message)
