import { Schema } from "effect"
import { integer, maybe, required } from "../../contract/fields.ts"
import { open } from "../../contract/open.ts"

const Token = integer(0)
const penalty = maybe(open(Schema.Number.pipe(Schema.between(-2, 2))))
const passed = "Only upstreams with this endpoint get it."
const refused = "Refused where the model is asked by chat."

/** The body of POST /v1/completions (docs/api.md#completions). */
export const CreateTextCompletion = Schema.Struct({
  model: required(Schema.NonEmptyString, "Model id; `GET /v1/models` lists them. Required."),
  prompt: maybe(
    Schema.Union(Schema.String, Schema.Array(Schema.Union(Schema.String, Token, Schema.Array(Token))))
  ).annotations({
    description:
      "A text, the tokens of a text, or an array of either, each of which is completed: at most 2,048. Tokens are refused where the model is asked by chat, and more than 32 answers to all prompts together."
  }),
  max_tokens: maybe(integer(1)).annotations({
    description:
      "Upper bound of generated tokens. Default: the upstream's, or the model's own where it is asked by chat."
  }),
  n: maybe(integer(1, 128)).annotations({
    description: "The number of answers to each prompt, each of which is charged.",
    default: 1
  }),
  best_of: maybe(open(integer(1, 20))).annotations({
    description: `Of so many answers the best \`n\` are told, and all are charged. ${refused}`,
    default: 1
  }),
  echo: maybe(open(Schema.Boolean)).annotations({
    description: `True puts the prompt in front of the answer. ${refused}`,
    default: false
  }),
  logprobs: maybe(open(integer(0))).annotations({
    description: `The number of log probabilities for each token. ${refused}`
  }),
  suffix: maybe(open(Schema.String)).annotations({ description: `The text behind the answer. ${refused}` }),
  stop: maybe(
    open(
      Schema.Union(
        Schema.String,
        Schema.Array(Schema.String).pipe(Schema.maxItems(1_024, { description: "an array of at most 1024 strings" }))
      )
    )
  ).annotations({ description: "Generation stops before one of these is produced." }),
  stream: maybe(Schema.Boolean).annotations({
    description: "True streams the answer as server-sent events. Default `false`.",
    default: false
  }),
  stream_options: maybe(
    Schema.Struct({
      include_usage: maybe(Schema.Boolean).annotations({ description: "Adds a last chunk with the usage." }),
      include_obfuscation: maybe(open(Schema.Boolean)).annotations({ description: passed })
    })
  ).annotations({ description: "Options of the stream." }),
  temperature: maybe(open(Schema.Number.pipe(Schema.between(0, 2)))).annotations({
    description: "Sampling temperature, `0` to `2`.",
    default: 1
  }),
  top_p: maybe(open(Schema.Number.pipe(Schema.between(0, 1)))).annotations({
    description: "Nucleus sampling, `0` to `1`.",
    default: 1
  }),
  frequency_penalty: penalty.annotations({ description: passed }),
  presence_penalty: penalty.annotations({ description: passed }),
  seed: maybe(open(Schema.Int)).annotations({ description: passed }),
  logit_bias: maybe(open(Schema.Record({ key: Schema.String, value: Schema.Number }))).annotations({
    description: passed
  }),
  user: maybe(open(Schema.String)).annotations({ description: "Stable id of the end user." })
}).annotations({
  identifier: "CreateTextCompletion",
  examples: [{ model: "sandbox-text", prompt: "Hello!" }]
})
export type CreateTextCompletion = typeof CreateTextCompletion.Type
