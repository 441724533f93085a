import { Schema } from "effect"
import { JsonObject, maybe, required } from "../contract/fields.ts"
import { open } from "../contract/open.ts"
import { variants } from "../contract/variants.ts"
import { cache_control, ContentPart } from "./Content.ts"

const FunctionCall = Schema.Struct({
  name: required(Schema.NonEmptyString, "Name of the function."),
  arguments: required(Schema.String, "Its arguments, as JSON text.")
})

const FunctionToolCall = Schema.Struct({
  type: maybe(Schema.Literal("function")).annotations({ description: "May be left out." }),
  id: required(Schema.NonEmptyString, "Id of the call, unchanged."),
  function: required(FunctionCall, "The called function.")
}).annotations({ identifier: "ChatReplayedFunctionCall" })

const CustomToolCall = Schema.Struct({
  type: Schema.Literal("custom"),
  id: required(Schema.NonEmptyString, "Id of the call, unchanged."),
  custom: required(
    Schema.Struct({
      name: required(Schema.NonEmptyString, "Name of the tool."),
      input: required(Schema.String, "Its input.")
    }),
    "The called function."
  )
}).annotations({ identifier: "ChatReplayedCustomCall" })

const ToolCall = variants({ function: FunctionToolCall, custom: CustomToolCall }, { absent: "function", open: true })
export type ToolCall = typeof ToolCall.Type

/** One message of a conversation. `messages.ts` checks the fields that its role requires. */
export const InputMessage = Schema.Struct({
  role: required(
    open(Schema.Literal("developer", "system", "user", "assistant", "tool", "function")),
    "The speaker. `developer` and `system` are the same. Required."
  ),
  content: maybe(open(Schema.Union(Schema.String, Schema.Array(ContentPart)))).annotations({
    description: "Text, or parts of different kinds. Required, except for an assistant's message with tool calls."
  }),
  name: maybe(open(Schema.String)).annotations({
    description: "The name of the `function` whose result this is; ignored otherwise."
  }),
  tool_call_id: maybe(open(Schema.String)).annotations({
    description: "`id` of the call that a `tool` message answers. Required with that role."
  }),
  tool_calls: maybe(open(Schema.Array(ToolCall))).annotations({ description: "The tools that the assistant called." }),
  function_call: maybe(open(FunctionCall)).annotations({
    description: "The function that the assistant called, in the legacy form."
  }),
  refusal: maybe(open(Schema.String)).annotations({ description: "The assistant's refusal, replayed." }),
  reasoning_content: maybe(open(Schema.String)).annotations({
    description: "The assistant's reasoning, replayed: some models want it back inside a tool loop."
  }),
  reasoning_details: maybe(open(Schema.Array(JsonObject))).annotations({
    description: "The assistant's signed reasoning; return it unchanged."
  }),
  images: maybe(open(Schema.Array(JsonObject))).annotations({
    description: "The images of an earlier answer, replayed; return them unchanged."
  }),
  audio: maybe(open(Schema.Struct({ id: required(Schema.String, "Id of an earlier answer's audio.") }))).annotations({
    description: "The assistant's spoken answer, for upstreams of this dialect."
  }),
  cache_control
}).annotations({ identifier: "ChatInputMessage" })
export type InputMessage = typeof InputMessage.Type
