import type { JsonObject } from "../../../contract/fields.ts"
import { listAt, objectAt, textAt } from "../../../contract/json/json.ts"
import type { GenerationEvent } from "../../../generation/GenerationEvent.ts"
import type { CallSignatures } from "../../Upstream.ts"

/** Replaces a signature of another server, or a lost one. */
export const standIn = "skip_thought_signature_validator"

/**
 * The calls of one turn with their signatures (Gemini's `extra_content.google.thought_signature`). A call that has one
 * already keeps it.
 *
 * @param first the signature for the first call if none is known, because the server requires one there
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

/** The signature of a call. */
export const signatureOf = (call: unknown): string | undefined =>
  textAt(objectAt(objectAt(call, "extra_content"), "google"), "thought_signature")

/** The signed calls of a chunk. Calls without an id cannot be found again and are left out. */
export const signedIn = (chunk: JsonObject): ReadonlyArray<GenerationEvent> =>
  listAt(chunk, "choices").flatMap((choice) =>
    listAt(objectAt(choice, "delta"), "tool_calls").flatMap((call): ReadonlyArray<GenerationEvent> => {
      const [callId, signature] = [textAt(call, "id"), signatureOf(call)]
      return !callId || signature === undefined ? [] : [{ type: "tool-call-signed", callId, signature }]
    })
  )
