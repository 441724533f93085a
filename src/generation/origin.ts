import { parseJson } from "../contract/json.ts"
import type { Origin, ReasoningItem } from "./Conversation.ts"

/** An opaque form as it leaves the gateway: with who made it. */
export const withOrigin = ({ by, model }: Origin, opaque: string): string =>
  `${mark}${Buffer.from(JSON.stringify([by, model])).toString("base64url")}.${opaque}`

const mark = "mgo1."

/** What the opaque form of reasoning is and who made it; undefined where that does not stand there. */
export const readOrigin = (told: string): { readonly origin: Origin; readonly opaque: string } | undefined => {
  if (!told.startsWith(mark)) return undefined
  const end = told.indexOf(".", mark.length)
  if (end === -1) return undefined
  const parts = parseJson(Buffer.from(told.slice(mark.length, end), "base64url").toString())
  if (!Array.isArray(parts) || typeof parts[0] !== "string") return undefined
  const model: unknown = parts[1]
  return {
    origin: { by: parts[0], model: typeof model === "string" ? model : undefined },
    opaque: told.slice(end + 1)
  }
}

interface Told {
  readonly text: string
  /** Both as they left the gateway, or as a client has them from elsewhere. */
  readonly signature?: string | undefined
  readonly redacted?: string | undefined
}

/**
 * Reasoning as it comes back.
 *
 * @param elsewhere who made what came from elsewhere; undefined where that can't be
 */
export const reasoningItem = ({ redacted, signature, text }: Told, elsewhere?: Origin): ReasoningItem => {
  const opaque = signature ?? redacted
  const known = opaque === undefined ? undefined : (readOrigin(opaque) ?? { origin: elsewhere, opaque })
  return {
    type: "reasoning",
    text,
    signature: signature === undefined ? undefined : known?.opaque,
    redacted: signature === undefined ? known?.opaque : undefined,
    ...(known?.origin !== undefined && { origin: known.origin })
  }
}

/** Whether a model of a dialect's services takes it back. */
export const isFrom = ({ origin }: Pick<ReasoningItem, "origin">, by: string, model: string): boolean =>
  origin?.by === by && (origin.model ?? model) === model
