import { Schema } from "effect"
import { integer, JsonObject, maybe, required } from "../contract/fields.ts"
import { open } from "../contract/open.ts"
import { variants } from "../contract/variants.ts"
import { InputMessage } from "./InputMessage.ts"
import { FunctionChoice, FunctionDefinition, Tool, ToolChoice } from "./Tools.ts"

const ResponseFormat = variants({
  text: Schema.Struct({ type: Schema.Literal("text") }),
  json_object: Schema.Struct({ type: Schema.Literal("json_object") }),
  json_schema: Schema.Struct({
    type: Schema.Literal("json_schema"),
    json_schema: required(
      Schema.Struct({
        name: required(Schema.String, "Name of the schema."),
        description: maybe(Schema.String).annotations({ description: "The purpose of the answer." }),
        schema: maybe(JsonObject).annotations({ description: "JSON Schema of the answer. Default any object." }),
        strict: maybe(Schema.Boolean).annotations({ description: "True makes the answer follow it exactly." })
      }),
      "The schema. Required when `type` is `json_schema`."
    )
  })
})

const WebSearch = Schema.Struct({
  search_context_size: maybe(Schema.Literal("low", "medium", "high")).annotations({
    description: "How much of each page the model reads.",
    default: "medium"
  }),
  user_location: maybe(
    Schema.Struct({
      type: Schema.Literal("approximate"),
      approximate: maybe(
        Schema.Struct({
          city: maybe(Schema.String).annotations({ description: "Free text." }),
          region: maybe(Schema.String).annotations({ description: "Free text." }),
          country: maybe(Schema.String).annotations({ description: "Two-letter ISO 3166-1 country code." }),
          timezone: maybe(Schema.String).annotations({ description: "An IANA time zone id." })
        })
      ).annotations({ description: "The approximate location." })
    })
  ).annotations({ description: "The user's approximate location." })
})

const penalty = maybe(open(Schema.Number.pipe(Schema.between(-2, 2))))
const passed = "Only upstreams of this dialect get it."
const ofGeminis = "Upstreams of this dialect get it, and the models of `gemini` that have it."
const carried = "Upstreams of this dialect get it, and those of OpenAI's others that have it."

/** The body of POST /v1/chat/completions (docs/api.md#creating-a-completion). */
export const CreateCompletion = Schema.Struct({
  model: required(Schema.NonEmptyString, "Model id; `GET /v1/models` lists them. Required."),
  messages: required(
    Schema.Array(InputMessage).pipe(Schema.minItems(1, { description: "an array of at least one message" })),
    "The conversation so far, oldest first. Required, not empty."
  ),
  tools: maybe(Schema.Array(Tool)).annotations({ description: "Tools the model may call." }),
  tool_choice: maybe(open(ToolChoice)).annotations({
    description: "`none`, `auto`, `required`, or an object that names the tool to call, or those to choose from.",
    default: "auto"
  }),
  parallel_tool_calls: maybe(open(Schema.Boolean)).annotations({
    description: "True lets the model call several tools at once.",
    default: true
  }),
  functions: maybe(open(Schema.Array(FunctionDefinition))).annotations({
    description: "An older form of `tools`, answered by `function_call`. Not together with `tools`."
  }),
  function_call: maybe(open(FunctionChoice)).annotations({ description: "An older form of `tool_choice`." }),
  response_format: maybe(open(ResponseFormat)).annotations({
    description: "The required format of the text.",
    default: { type: "text" }
  }),
  reasoning_effort: maybe(open(Schema.Literal("none", "minimal", "low", "medium", "high", "xhigh", "max"))).annotations(
    {
      description: "How much the model reasons. Which values a model supports, and its default, depends on the model."
    }
  ),
  verbosity: maybe(open(Schema.Literal("low", "medium", "high"))).annotations({
    description: carried,
    default: "medium"
  }),
  max_completion_tokens: maybe(integer(1)).annotations({
    description: "Upper bound of generated tokens, reasoning included."
  }),
  max_tokens: maybe(integer(1)).annotations({ description: "Older spelling of `max_completion_tokens`." }),
  n: maybe(integer(1, 128)).annotations({
    description:
      "The number of answers, each of which is charged: `1` to `16`, or to `128` at an upstream of this dialect.",
    default: 1
  }),
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
  frequency_penalty: penalty.annotations({ description: ofGeminis }),
  presence_penalty: penalty.annotations({ description: ofGeminis }),
  seed: maybe(open(Schema.Int)).annotations({ description: ofGeminis }),
  logit_bias: maybe(open(Schema.Record({ key: Schema.String, value: Schema.Number }))).annotations({
    description: passed
  }),
  logprobs: maybe(open(Schema.Boolean)).annotations({ description: carried }),
  top_logprobs: maybe(open(integer(0, 20))).annotations({ description: carried }),
  prediction: maybe(open(JsonObject)).annotations({ description: passed }),
  modalities: maybe(open(Schema.Array(Schema.String))).annotations({ description: ofGeminis }),
  audio: maybe(open(JsonObject)).annotations({ description: passed }),
  web_search_options: maybe(open(WebSearch)).annotations({ description: "Lets the model search the web." }),
  store: maybe(open(Schema.Boolean)).annotations({
    description: "True has the gateway store the answer, to be read and listed later.",
    default: false
  }),
  metadata: maybe(open(Schema.Record({ key: Schema.String, value: Schema.String }))).annotations({
    description: "Strings about the request; not shown to the model."
  }),
  service_tier: maybe(open(Schema.String)).annotations({ description: carried }),
  prompt_cache_key: maybe(open(Schema.String)).annotations({ description: "Groups requests that share a prefix." }),
  prompt_cache_options: maybe(open(JsonObject)).annotations({ description: passed }),
  moderation: maybe(open(JsonObject)).annotations({ description: passed }),
  prompt_cache_retention: maybe(open(Schema.String)).annotations({ description: passed }),
  safety_identifier: maybe(open(Schema.String)).annotations({ description: "Stable id of the end user." }),
  user: maybe(open(Schema.String)).annotations({ description: "Older spelling of `safety_identifier`." })
}).annotations({
  identifier: "ChatCreateCompletion",
  description:
    "Kinds and values that are not listed here (of tools, parts, formats, efforts, …) are passed on to an upstream of " +
    "this dialect, and refused elsewhere.",
  examples: [{ model: "sandbox-text", messages: [{ role: "user", content: "Hello!" }] }]
})
export type CreateCompletion = typeof CreateCompletion.Type
