import { Option, Schema } from "effect"

/** The kinds of content that models read and write. `file` is a document, such as a PDF. */
export const modalities = ["text", "image", "audio", "video", "file", "embeddings", "rerank"] as const
export const reasoningEfforts = ["none", "minimal", "low", "medium", "high", "xhigh", "max"] as const
/** Beyond it a number of tokens is a mistake. */
const mostTokens = 1_000_000_000

const Tokens = Schema.Int.pipe(Schema.between(1, mostTokens))
const Modalities = Schema.Array(Schema.Literal(...modalities)).pipe(Schema.maxItems(modalities.length))
const Day = Schema.String.pipe(
  Schema.pattern(/^\d{4}-\d\d-\d\d$/, { message: () => "expected a day such as 2026-01-31" })
)
const some = <A, I>(schema: Schema.Schema<A, I>, description: string) =>
  Schema.optionalWith(schema.annotations({ description }), { exact: true })

/** The known facts of a model. An absent one is unknown. */
export const ModelFacts = Schema.Struct({
  context_tokens: some(Tokens, "Its context window in tokens, input and output together."),
  max_input_tokens: some(Tokens, "The longest input, where it is shorter than the window."),
  max_output_tokens: some(Tokens, "The longest output."),
  inputs: some(Modalities, "The content that it reads."),
  outputs: some(Modalities, "The content that it writes."),
  tools: some(Schema.Boolean, "True if it calls functions."),
  thinking: some(Schema.Boolean, "True if it reasons before it answers."),
  efforts: some(Schema.Array(Schema.Literal(...reasoningEfforts)), "The efforts of its reasoning, least first."),
  structured_output: some(Schema.Boolean, "True if it keeps to a JSON Schema."),
  caching: some(Schema.Boolean, "True if its provider caches prompts."),
  released: some(Day, "The day of its release."),
  retires: some(Day, "The day from which its provider no longer serves it.")
}).annotations({ identifier: "ModelFacts" })
export type ModelFacts = typeof ModelFacts.Type
export type Modality = (typeof modalities)[number]
export type ReasoningEffort = (typeof reasoningEfforts)[number]

/** The facts of several sources. The first that knows a fact counts. */
export const mergedFacts = (...sources: ReadonlyArray<ModelFacts | undefined>): ModelFacts =>
  sources.reduceRight<ModelFacts>((all, one) => ({ ...all, ...one }), {})

/** Facts without those that are undefined or impossible: others' lists say anything. */
export const knownFacts = (facts: Readonly<Partial<Record<keyof ModelFacts, unknown>>>): ModelFacts =>
  mergedFacts(
    ...Object.entries(facts).map(([name, fact]) =>
      fact === undefined ? undefined : Option.getOrUndefined(decode({ [name]: fact }))
    )
  )

const decode = Schema.decodeUnknownOption(ModelFacts)

/** A day of a date or a time in ISO 8601; undefined for another text. */
export const dayOf = (text: string | undefined): string | undefined => {
  const day = text?.slice(0, 10)
  return day !== undefined && /^\d{4}-\d\d-\d\d$/.test(day) && !Number.isNaN(Date.parse(day)) ? day : undefined
}

/** The modalities of a list that are known, in the usual order; undefined if it is not a list or has none. */
export const modalitiesOf = (value: unknown): ReadonlyArray<Modality> | undefined => {
  if (!Array.isArray(value)) return undefined
  const found = modalities.filter((one) => value.includes(one))
  return found.length === 0 ? undefined : found
}

/** The efforts of a list that are known, in their order; undefined if it is not a list or has none. */
export const effortsOf = (value: unknown): ReadonlyArray<ReasoningEffort> | undefined => {
  if (!Array.isArray(value)) return undefined
  const found = reasoningEfforts.filter((one) => value.includes(one))
  return found.length === 0 ? undefined : found
}
