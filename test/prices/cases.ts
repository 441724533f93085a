import { readFileSync } from "node:fs"
import { join } from "node:path"
import { Schema } from "effect"
import { kinds, modalities } from "./reference.ts"

const Json = Schema.Record({ key: Schema.String, value: Schema.Unknown })

const Tokens = Schema.Struct({
  kind: Schema.Literal(...kinds),
  modality: Schema.Literal(...modalities),
  count: Schema.Number
})

/** The usage as the reference of the rules takes it. */
const Counted = Schema.Struct({
  usage: Schema.Struct({
    tokens: Schema.Array(Tokens),
    runs: Schema.optional(
      Schema.Array(Schema.Struct({ model: Schema.optional(Schema.String), tokens: Schema.Array(Tokens) }))
    ),
    calls: Schema.optional(Schema.Record({ key: Schema.String, value: Schema.Number })),
    toldUsd: Schema.optional(Schema.String)
  }),
  served: Schema.Struct({
    tier: Schema.optional(Schema.String),
    speed: Schema.optional(Schema.String),
    geo: Schema.optional(Schema.String)
  })
})

const Case = Schema.Struct({
  id: Schema.String,
  provider: Schema.String,
  wire: Schema.Literal("responses", "chat", "messages", "gemini", "bedrock-converse", "bedrock-invoke", "embeddings"),
  model: Schema.String,
  request: Json,
  /** The part of the answer that bears its usage, as the provider sends it. */
  answer: Json,
  headers: Schema.optional(Schema.Record({ key: Schema.String, value: Schema.String })),
  /** Members of the first frame of a stream that differ from its last. */
  opening: Schema.optional(Json),
  arrived: Schema.optional(Schema.String),
  price: Json,
  tool_prices: Schema.optional(Schema.Record({ key: Schema.String, value: Json })),
  terms: Schema.Array(
    Schema.Struct({ count: Schema.Number, usd: Schema.String, per: Schema.Literal("million", "one") })
  ),
  counted: Schema.optional(Counted),
  nano_usd: Schema.Number,
  how: Schema.String
})
export type Case = typeof Case.Type

const casesIn = (file: string): ReadonlyArray<Case> =>
  Schema.decodeUnknownSync(Schema.parseJson(Schema.Struct({ cases: Schema.Array(Case) })))(
    readFileSync(join(import.meta.dirname, file), "utf8")
  ).cases

/** Worked prices: what a provider's answer costs, by hand in decimals from its published prices. */
export const cases = casesIn("cases.json")

/** Further ones, of each wire and dimension. */
export const moreCases = casesIn("moreCases.json")
