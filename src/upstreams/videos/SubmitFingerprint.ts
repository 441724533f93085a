import { createHash } from "node:crypto"
import { Option, Schema } from "effect"
import { JsonObject } from "../../contract/fields.ts"

/** Tells the video of a submit without an answer from others in its upstream's list. */
export const SubmitFingerprint = Schema.Struct({
  /** The fields of the request that the list shows, under the list's names: model, length, size, a hash of the text. */
  shown: JsonObject,
  /** A hash of the account and the whole request, inputs included; absent until a submit is known to be unanswered. */
  whole: Schema.optionalWith(Schema.String, { exact: true })
})
export type SubmitFingerprint = typeof SubmitFingerprint.Type

/** A stored fingerprint; undefined if there is none. */
export const readFingerprint = (stored: unknown): SubmitFingerprint | undefined => Option.getOrUndefined(decode(stored))
const decode = Schema.decodeUnknownOption(SubmitFingerprint)

export const hashOf = (text: string): string => createHash("sha256").update(text).digest("base64url")

/** The values that an upstream's list may show; those that leave the choice to the model are left out. */
export const shownValues = (values: Readonly<Record<string, unknown>>): JsonObject =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => !open.has(value)))

const open = new Set<unknown>([-1, "adaptive", "", null, undefined])

/** True if no value that both have differs. Upstreams show some only once the video is made. */
export const agree = (one: JsonObject, other: JsonObject): boolean =>
  Object.entries(one).every(([name, value]) => !Object.hasOwn(other, name) || other[name] === value)
