import { Schema } from "effect"
import { JsonObject, integer, maybe, required } from "../contract/fields.ts"
import { Metadata } from "../contract/Metadata.ts"
import { open } from "../contract/open.ts"
import { variants } from "../contract/variants.ts"
import { InputItem } from "./InputItem.ts"
import { ChosenTool, ToolChoiceMode, ToolEntry } from "./ToolEntry.ts"

const Format = variants({
  text: Schema.Struct({ type: Schema.Literal("text") }),
  json_object: Schema.Struct({ type: Schema.Literal("json_object") }),
  json_schema: Schema.Struct({
    type: Schema.Literal("json_schema"),
    name: required(Schema.String, "Name of the schema."),
    description: maybe(Schema.String).annotations({ description: "The purpose of the answer." }),
    schema: required(JsonObject, "JSON Schema of the answer."),
    strict: maybe(Schema.Boolean).annotations({ description: "True makes the answer follow the schema exactly." })
  })
})

const Summary = Schema.Literal("auto", "concise", "detailed")

const Reasoning = Schema.Struct({
  effort: maybe(open(Schema.Literal("none", "minimal", "low", "medium", "high", "xhigh", "max"))).annotations({
    description: "How much the model reasons. Which values a model supports, and its default, depends on the model."
  }),
  summary: maybe(open(Summary)).annotations({ description: "How much of the reasoning is shown." }),
  generate_summary: maybe(Summary).annotations({ description: "Older spelling of `summary`." })
}).annotations({ identifier: "ResponsesReasoning" })

const input = Schema.Union(
  Schema.String,
  Schema.Array(InputItem).pipe(Schema.minItems(1)).annotations({ description: "an array of at least one item" })
).annotations({ jsonSchema: { description: "A text, or the items of the conversation, oldest first." } })

const fields = {
  model: Schema.String.annotations({ description: "Model id; GET /v1/models lists them." }),
  instructions: maybe(Schema.String).annotations({
    description: "System instructions to follow. Not inherited from the previous response."
  }),
  previous_response_id: maybe(Schema.String).annotations({
    description: "Id of an earlier stored response whose input and output come before this input."
  }),
  tools: maybe(Schema.Array(ToolEntry)).annotations({ description: "Tools the model may call." }),
  tool_choice: maybe(open(Schema.Union(ToolChoiceMode, ChosenTool))).annotations({
    description: "`none`, `auto`, `required`, or an object that names the tools to choose from.",
    default: "auto"
  }),
  parallel_tool_calls: maybe(Schema.Boolean).annotations({
    description: "True lets the model call several tools at once.",
    default: true
  }),
  reasoning: maybe(open(Reasoning)).annotations({ description: "Reasoning configuration, for reasoning models only." }),
  text: maybe(
    Schema.Struct({
      format: maybe(open(Format)).annotations({
        description: "The required format of the text.",
        default: { type: "text" }
      }),
      verbosity: maybe(open(Schema.Literal("low", "medium", "high"))).annotations({
        description: "How much the model says; for upstreams that have it.",
        default: "medium"
      })
    })
  ).annotations({ description: "The format of the text output." }),
  truncation: maybe(Schema.Literal("auto", "disabled")).annotations({
    description:
      "`auto` drops the oldest items of an input that exceeds the model's context window; `disabled` answers 400.",
    default: "disabled"
  }),
  conversation: maybe(
    open(Schema.Union(Schema.String, Schema.Struct({ id: required(Schema.String, "Id of the conversation.") })))
  ).annotations({
    description:
      "A conversation, or its id: its items come before this input, and input and output are added to it at the end. " +
      "One that an upstream of this dialect keeps goes there alone."
  })
}

/** The body of POST /v1/responses. */
export const CreateResponse = Schema.Struct({
  ...fields,
  // Optional, because a prompt stored at the upstream may include it.
  input: open(input),
  max_output_tokens: maybe(integer(1)).annotations({
    description: "Upper bound on generated tokens, including visible output and reasoning tokens."
  }),
  max_tool_calls: maybe(integer(1)).annotations({
    description: "Upper bound on web searches and calls of MCP servers together."
  }),
  temperature: maybe(open(Schema.Number.pipe(Schema.between(0, 2)))).annotations({
    description: "Sampling temperature.",
    default: 1
  }),
  top_p: maybe(open(Schema.Number.pipe(Schema.between(0, 1)))).annotations({
    description: "Nucleus sampling.",
    default: 1
  }),
  stream: maybe(Schema.Boolean).annotations({
    description: "When true the response is streamed as server-sent events.",
    default: false
  }),
  store: maybe(Schema.Boolean).annotations({
    description: "True keeps the response, so that it can be read back and continued.",
    default: true
  }),
  include: maybe(Schema.Array(Schema.String)).annotations({
    description:
      "Optional parts of the output: `web_search_call.action.sources`, `reasoning.encrypted_content`, " +
      "`message.output_text.logprobs`. Others are ignored."
  }),
  metadata: maybe(Metadata).annotations({
    description: "Strings to keep with the response.",
    default: {}
  }),
  service_tier: maybe(Schema.String).annotations({
    description: "The tier to be served by; for upstreams of OpenAI's dialects that have it.",
    default: "default"
  }),
  prompt_cache_key: maybe(Schema.String).annotations({ description: "Groups requests that share a prefix." }),
  prompt_cache_retention: maybe(Schema.String).annotations({ description: "Echoed." }),
  safety_identifier: maybe(Schema.String).annotations({ description: "Stable id of the end user." }),
  user: maybe(Schema.String).annotations({ description: "Older spelling of `safety_identifier`." }),
  top_logprobs: maybe(open(integer(0, 20))).annotations({
    description: "How many likely tokens are told beside each token; for upstreams that have it.",
    default: 0
  }),
  background: maybe(Schema.Boolean).annotations({
    description: "`true` answers at once and generates in the background; needs `store`.",
    default: false
  }),
  prompt: maybe(Schema.Unknown).annotations({
    description:
      "A prompt stored at an upstream of this dialect; 400 for other upstreams: use `instructions` and `input`."
  })
}).annotations({
  identifier: "ResponsesCreate",
  description:
    "Kinds and values that are not listed here (of tools, items, parts, formats, efforts, …) are passed on to an " +
    "upstream of this dialect, and refused elsewhere.",
  examples: [{ model: "sandbox-text", input: "Hello!" }]
})
export type CreateResponse = typeof CreateResponse.Type

/** The body of POST /v1/responses/input_tokens. */
export const CountInputTokens = Schema.Struct({
  ...fields,
  input: maybe(input).annotations({ description: "A text, or the items of the conversation, oldest first." })
}).annotations({
  identifier: "ResponsesCountInputTokens",
  examples: [{ model: "sandbox-text", input: "Hello!" }]
})
export type CountInputTokens = typeof CountInputTokens.Type
