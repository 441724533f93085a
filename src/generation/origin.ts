import { parseJson } from "../contract/json/json.ts"
import type { Origin, ReasoningItem } from "./Conversation.ts"

/** A signature with its origin, as the gateway sends it to clients. */
export const withOrigin = ({ by, key, model }: Origin, opaque: string): string => {
  const origin = key === undefined ? [by, model] : [by, model, key]
  return `${mark}${Buffer.from(JSON.stringify(origin)).toString("base64url")}.${opaque}`
}

const mark = "mgo1."

/** The signature and its origin; undefined if the text was not made by `withOrigin`. */
export const readOrigin = (text: string): { readonly origin: Origin; readonly opaque: string } | undefined => {
  if (!text.startsWith(mark)) return undefined
  const end = text.indexOf(".", mark.length)
  if (end === -1) return undefined
  const parts = parseJson(Buffer.from(text.slice(mark.length, end), "base64url").toString())
  if (!Array.isArray(parts)) return undefined
  const [by, model, key]: ReadonlyArray<unknown> = parts
  if (typeof by !== "string") return undefined
  return {
    origin: {
      by,
      model: typeof model === "string" ? model : undefined,
      ...(typeof key === "string" ? { key } : {})
    },
    opaque: text.slice(end + 1)
  }
}

interface Reasoning {
  readonly text: string
  /** Either form, with an origin or as another service gave it to the client. */
  readonly signature?: string | undefined
  readonly redacted?: string | undefined
}

/**
 * A replayed reasoning item.
 *
 * @param elsewhere the origin of signatures without one; undefined if they are not accepted
 */
export const reasoningItem = ({ redacted, signature, text }: Reasoning, elsewhere?: Origin): ReasoningItem => {
  const opaque = signature ?? redacted
  const signed = opaque === undefined ? undefined : (readOrigin(opaque) ?? { origin: elsewhere, opaque })
  return {
    type: "reasoning",
    text,
    signature: signature === undefined ? undefined : signed?.opaque,
    redacted: signature === undefined ? signed?.opaque : undefined,
    ...(signed?.origin !== undefined && { origin: signed.origin })
  }
}

/**
 * True if a model of a provider accepts the item's signature.
 *
 * @param key the upstream's key, if it has several and the signature is for one alone
 */
export const isFrom = ({ origin }: Pick<ReasoningItem, "origin">, by: string, model: string, key?: string): boolean =>
  origin?.by === by && (origin.model ?? model) === model && (key === undefined || (origin.key ?? key) === key)
