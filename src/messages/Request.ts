import { Schema } from "effect"
import { integer, JsonObject, maybe, required } from "../contract/fields.ts"
import { open } from "../contract/open.ts"
import { variants } from "../contract/variants.ts"
import { ContentBlock } from "./Blocks.ts"
import { cacheControl } from "./cacheControl.ts"
import { Tool, ToolChoice } from "./Tools.ts"

const InputMessage = Schema.Struct({
  role: required(
    open(Schema.Literal("user", "assistant", "system")),
    "The speaker. `system` adds system text at this place of the conversation. Required."
  ),
  content: required(
    Schema.Union(Schema.String, Schema.Array(ContentBlock)),
    "Text, or blocks of different kinds. Required."
  )
}).annotations({ identifier: "MessagesInputMessage" })
export type InputMessage = typeof InputMessage.Type

const SystemText = Schema.Struct({
  type: maybe(Schema.Literal("text")).annotations({ description: "Default `text`.", default: "text" }),
  text: required(Schema.String, "The text. Required."),
  cache_control: cacheControl
})

const display = maybe(Schema.Literal("summarized", "omitted", "updates", "highlights")).annotations({
  description:
    "Shows the thinking, or only its signature (`omitted`). Default `summarized`. Upstreams of other dialects treat " +
    "`updates` and `highlights` as `summarized`."
})

const Thinking = variants({
  enabled: Schema.Struct({
    type: Schema.Literal("enabled"),
    // `rules.ts` checks the bounds, to answer in the dialect's words.
    budget_tokens: required(
      Schema.Int.annotations({ jsonSchema: { type: "integer", minimum: 1024 } }),
      "Most tokens to think with: at least `1024`, less than `max_tokens`. Required when `type` is `enabled`."
    ),
    display
  }).annotations({ description: "The model thinks before it answers." }),
  disabled: Schema.Struct({ type: Schema.Literal("disabled") }).annotations({
    description: "The model answers at once."
  }),
  adaptive: Schema.Struct({ type: Schema.Literal("adaptive"), display }).annotations({
    description: "The model decides."
  }),
  between_tools: Schema.Struct({ type: Schema.Literal("between_tools"), display }).annotations({
    description: "The model thinks, between tool calls too."
  })
})

const Thread = variants({
  create: Schema.Struct({ type: Schema.Literal("create") }).annotations({ description: "A conversation begins." }),
  continue: Schema.Struct({
    type: Schema.Literal("continue"),
    previous_message_id: required(
      Schema.NonEmptyString.pipe(Schema.maxLength(256)),
      "The id of the answer that this continues. Required when `type` is `continue`."
    )
  }).annotations({ description: "The task continues." })
})

const JsonFormat = Schema.Struct({
  type: Schema.Literal("json_schema"),
  schema: required(JsonObject, "JSON Schema of the answer. Required.")
})

const fraction = Schema.Number.pipe(Schema.between(0, 1))

const shared = {
  model: required(Schema.NonEmptyString, "Model id; `GET /v1/models` lists them. Required."),
  messages: required(
    // An empty list is allowed here: a thread's paused answer continues without messages. `rules.ts` refuses it
    // elsewhere.
    Schema.Union(
      Schema.NonEmptyString,
      Schema.Array(InputMessage).pipe(
        Schema.filter(() => true, { description: "an array of at least one message", jsonSchema: {} })
      )
    ),
    "The conversation so far, oldest first; a string is one user message. Required, not empty."
  ),
  system: maybe(open(Schema.Union(Schema.String, Schema.Array(SystemText)))).annotations({
    description: "System prompt."
  }),
  tools: maybe(Schema.Array(Tool)).annotations({ description: "Tools the model may use; web search is one." }),
  tool_choice: maybe(open(ToolChoice)).annotations({
    description: "How the model chooses among the tools. Default `auto`.",
    default: { type: "auto" }
  }),
  thinking: maybe(open(Thinking)).annotations({
    description: "Enables thinking and sets its budget."
  }),
  output_config: maybe(
    Schema.Struct({
      effort: maybe(open(Schema.Literal("low", "medium", "high", "xhigh", "max"))).annotations({
        description: "The effort of the model."
      }),
      format: maybe(open(JsonFormat)).annotations({ description: "The shape of the answer." })
    })
  ).annotations({ description: "The effort of the model and the format of its answer." }),
  output_format: maybe(open(JsonFormat)).annotations({ description: "An older spelling of `output_config.format`." }),
  cache_control: cacheControl
}

/** A request to count the tokens of a request to `/v1/messages`. */
export const CountTokens = Schema.Struct(shared).annotations({
  identifier: "MessagesCountTokens",
  examples: [{ model: "sandbox-text", messages: [{ role: "user", content: "Hello!" }] }]
})
export type CountTokens = typeof CountTokens.Type

/** A request for a message (docs/api.md#creating-a-message). */
export const CreateMessage = Schema.Struct({
  ...shared,
  // The model sets the upper bound (`fitOutput`).
  max_tokens: required(
    integer(1),
    "Most tokens to generate, thinking included. More than the model can write is cut to that (at sandbox models to `32000`), or refused in strict mode. Required."
  ),
  stream: maybe(Schema.Boolean).annotations({
    description: "True streams the answer as server-sent events. Default `false`; wins over `async`.",
    default: false
  }),
  async: maybe(Schema.Boolean).annotations({
    description: "True answers at once with a task; poll `/v1/tasks/{id}`. Default `false`.",
    default: false
  }),
  temperature: maybe(open(fraction)).annotations({ description: "`0.0` to `1.0`. Default `1.0`.", default: 1 }),
  top_p: maybe(open(fraction)).annotations({ description: "`0.0` to `1.0`. Default `1.0`.", default: 1 }),
  top_k: maybe(open(integer(0))).annotations({
    description: "Only the K most probable tokens are considered."
  }),
  stop_sequences: maybe(
    open(
      Schema.Array(Schema.NonEmptyString).pipe(
        Schema.maxItems(1_024, { description: "an array of at most 1024 non empty strings" })
      )
    )
  ).annotations({
    description: "Generation stops at the first of these."
  }),
  thread: maybe(Thread).annotations({
    description:
      "Stores the conversation, so that the next request only sends new messages and the id of the answer that it " +
      "continues. `system` and `tools` stay those of the first request."
  }),
  metadata: maybe(
    Schema.Struct({
      user_id: maybe(Schema.String).annotations({
        description: "The caller's id of its end user, for analytics, abuse detection and logging."
      })
    })
  ).annotations({ description: "About the request; not shown to the model." })
}).annotations({
  identifier: "MessagesCreate",
  description:
    "Kinds and values that are not listed here (of tools, blocks, formats, efforts, …) are passed on to an upstream of " +
    "this dialect, and refused elsewhere.",
  examples: [{ model: "sandbox-text", max_tokens: 200, messages: [{ role: "user", content: "Hello!" }] }]
})
export type CreateMessage = typeof CreateMessage.Type

/** A request of either endpoint; one to count tokens has no `max_tokens`. */
export type AnyRequest = CountTokens & Partial<Omit<CreateMessage, keyof CountTokens>>
