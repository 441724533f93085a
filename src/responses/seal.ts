import { Schema } from "effect"
import { parseJson } from "../contract/json/json.ts"
import type { ReasoningItem, SearchItem } from "../generation/Conversation.ts"

/**
 * The `encrypted_content` of a reasoning item: the upstream's opaque form with a mark of the gateway and the model,
 * because no other model accepts it.
 */
export const seal = (model: string, reasoning: Sealed): string =>
  prefix +
  Buffer.from(JSON.stringify([model, reasoning.text, reasoning.signature, reasoning.redacted])).toString("base64url")

/** Undefined for another provider's, another model's or a damaged one: such reasoning is dropped. */
export const unseal = (model: string, sealed: string): Sealed | undefined => {
  if (!sealed.startsWith(prefix)) return undefined
  const parts = parseJson(Buffer.from(sealed.slice(prefix.length), "base64url").toString())
  if (!Array.isArray(parts) || parts[0] !== model) return undefined
  const [text, signature, redacted] = parts.slice(1).map((part) => (typeof part === "string" ? part : undefined))
  return { text: text ?? "", signature, redacted }
}

/** Reasoning with its opaque form and its origin. */
type Sealed = Pick<ReasoningItem, "text" | "signature" | "redacted">

/** A search's results, because its item only has addresses; undefined if there are none. */
export const sealSearch = ({ id, outcome }: Pick<SearchItem, "id" | "outcome">): string | undefined =>
  outcome?.type === "results" && outcome.results.some(({ sealed = "", text }) => sealed + text !== "")
    ? prefix + Buffer.from(JSON.stringify([id, outcome.results])).toString("base64url")
    : undefined

/** The upstream's id of a search and its results; undefined if the gateway did not write them. */
export const unsealSearch = (sealed: string): Pick<SearchItem, "id" | "outcome"> | undefined => {
  if (!sealed.startsWith(prefix)) return undefined
  const parts = parseJson(Buffer.from(sealed.slice(prefix.length), "base64url").toString())
  if (!Array.isArray(parts) || typeof parts[0] !== "string" || !areResults(parts[1])) return undefined
  return { id: parts[0], outcome: { type: "results", results: parts[1] } }
}

const areResults = Schema.is(
  Schema.Array(
    Schema.Struct({
      url: Schema.String,
      title: Schema.String,
      text: Schema.String,
      sealed: Schema.optionalWith(Schema.String, { exact: true }),
      pageAge: Schema.NullOr(Schema.String)
    })
  )
)

/** True if `encrypted_content` has the gateway's mark. */
export const isSealed = (encrypted: string): boolean => encrypted.startsWith(prefix)

const prefix = "mg1."
