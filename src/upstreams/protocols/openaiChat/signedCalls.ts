import type { JsonObject } from "../../../contract/fields.ts"
import { listAt, objectAt, textAt } from "../../../contract/json.ts"
import type { GenerationEvent } from "../../../generation/GenerationEvent.ts"
import type { CallSignatures } from "../../Upstream.ts"

/** Stands for a signature that was made elsewhere, or is lost. */
export const standIn = "skip_thought_signature_validator"

/**
 * The calls of one turn with what their server signed them with (Gemini's `extra_content.google.thought_signature`). One
 * that has it already is left.
 *
 * @param first stands on the first of them, which must have one, where none is known
 */
export const signedCalls = (
  calls: ReadonlyArray<JsonObject>,
  signatures: CallSignatures,
  first?: string
): ReadonlyArray<JsonObject> =>
  calls.map((call, index) => {
    if (signatureOf(call) !== undefined) return call
    const extra = objectAt(call, "extra_content")
    const signature = signatures.get(textAt(call, "id") ?? "") ?? (index === 0 ? first : undefined)
    return signature === undefined
      ? call
      : { ...call, extra_content: { ...extra, google: { ...objectAt(extra, "google"), thought_signature: signature } } }
  })

/** What a server has signed a call with. */
export const signatureOf = (call: unknown): string | undefined =>
  textAt(objectAt(objectAt(call, "extra_content"), "google"), "thought_signature")

/** The signed calls of a chunk; those without an id can't be found again. */
export const signedIn = (chunk: JsonObject): ReadonlyArray<GenerationEvent> =>
  listAt(chunk, "choices").flatMap((choice) =>
    listAt(objectAt(choice, "delta"), "tool_calls").flatMap((call): ReadonlyArray<GenerationEvent> => {
      const [callId, signature] = [textAt(call, "id"), signatureOf(call)]
      return !callId || signature === undefined ? [] : [{ type: "tool-call-signed", callId, signature }]
    })
  )
