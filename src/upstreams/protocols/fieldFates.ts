import { hasMarks } from "../../generation/cacheMarks.ts"
import { carriedFields } from "../../generation/Conversation.ts"
import type { CarriedField, Conversation, Reasoning, Sampling } from "../../generation/Conversation.ts"
import type { Notes } from "./notes.ts"

/** Members of a conversation that describe it. They are for the gateway alone, or go with every request. */
type Description =
  | "model"
  | "inputParam"
  | "prefills"
  | "outputParam"
  | "stopParam"
  | "formatParam"
  | "cachesByItself"
  | "holdsDocuments"
  | "unknownBytes"
  | "demands"
  | "providersRefusal"

/** Parts of a conversation of which each protocol says what becomes of them. `cacheMarks` are those of all its parts. */
export type ConversationField =
  | Exclude<keyof Conversation, Description | "sampling" | "reasoning" | "cacheMark" | "systemMarks">
  | "cacheMarks"
  | keyof Sampling
  | keyof Reasoning
  | CarriedField

/** The fields that a protocol may leave out, with their names in the adaptation report. */
const namedFields = [
  "cacheMarks",
  "cacheKey",
  "cacheRetention",
  "endUser",
  "topK"
] as const satisfies ReadonlyArray<ConversationField>
export type NamedField = (typeof namedFields)[number]

const names: Readonly<Record<NamedField, string>> = {
  cacheMarks: "cache_control",
  cacheKey: "prompt_cache_key",
  cacheRetention: "prompt_cache_retention",
  endUser: "user",
  topK: "top_k"
}

/** Fields that the gateway takes care of where the upstream has no place for them. */
type GatewaysField = "stopSequences" | "truncation" | "summary"

/**
 * The fate of a field at a protocol: `carried`; carried `in part`, as far as the value and the model allow, with the rest
 * named or refused by the protocol; `left out` and named; or done by the `gateway`.
 */
type FieldFate<Field extends ConversationField> =
  | "carried"
  | "in part"
  | (Field extends NamedField | CarriedField ? "left out" : never)
  | (Field extends GatewaysField ? "gateway" : never)

/** The fate of every field. A field without a fate does not compile. */
export type FieldFates = { readonly [Field in ConversationField]: FieldFate<Field> }

/** The optional fields that a protocol carries. A request's family names the others. */
export const carriedBy = (fates: FieldFates): ReadonlySet<CarriedField> =>
  new Set(carriedFields.filter((field) => fates[field] !== "left out"))

/** The fields that a protocol leaves out, and names by `nameLeftOut`. */
export const leftOutBy = (fates: FieldFates): ReadonlyArray<NamedField> =>
  namedFields.filter((field) => fates[field] === "left out")

/** Names those of the fields that a conversation has. Without calls of its own: every translated request comes here. */
export const nameLeftOut = (conversation: Conversation, leftOut: ReadonlyArray<NamedField>, notes: Notes): void => {
  for (const field of leftOut) {
    const value =
      field === "cacheMarks"
        ? hasMarks(conversation)
        : field === "topK"
          ? conversation.sampling.topK
          : conversation[field]
    if (value !== undefined && value !== false) notes.adapt(names[field])
  }
}
