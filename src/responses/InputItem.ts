import { Schema } from "effect"
import { isJsonObject, JsonObject, maybe, required } from "../contract/fields.ts"
import type { Unknown } from "../contract/Unknown.ts"
import { variants } from "../contract/variants.ts"
import { clientItems } from "./clientTools/ClientItem.ts"
import { summaryOf } from "./compact/summary.ts"
import { ContentPart } from "./ContentPart.ts"
import { madeImage } from "./madeImage.ts"
import { mcpInputs } from "./mcp/InputMcp.ts"
import { ToolEntry } from "./ToolEntry.ts"

const id = maybe(Schema.String).annotations({ description: "Id of the item. The gateway creates one if it is absent." })
const status = maybe(Schema.String).annotations({ description: "The returned status; ignored." })
const callId = Schema.String.annotations({ description: "Links a tool's output to its call." })
const toolName = required(Schema.String, "Name of the tool.")
const namespace = maybe(Schema.String).annotations({ description: "Namespace of the tool." })

const Content = Schema.Union(Schema.String, Schema.Array(ContentPart)).annotations({
  description: "A text, or content blocks of different types."
})

const Message = Schema.Struct({
  type: maybe(Schema.Literal("message")).annotations({ description: "May be left out on messages." }),
  id,
  status,
  role: required(Schema.Literal("user", "assistant", "system", "developer"), "The speaker's role."),
  content: Content
}).annotations({ identifier: "ResponsesInputMessage" })

const FunctionCall = Schema.Struct({
  type: Schema.Literal("function_call"),
  id,
  call_id: callId,
  name: toolName,
  namespace,
  arguments: Schema.String.annotations({ description: "JSON text." }),
  status
}).annotations({ identifier: "ResponsesReplayedFunctionCall" })

const FunctionCallOutput = Schema.Struct({
  type: Schema.Literal("function_call_output"),
  id,
  call_id: callId,
  output: Content,
  status
}).annotations({ identifier: "ResponsesFunctionCallOutput" })

const CustomToolCall = Schema.Struct({
  type: Schema.Literal("custom_tool_call"),
  id,
  call_id: callId,
  name: toolName,
  namespace,
  input: required(Schema.String, "Free text for the tool."),
  status
}).annotations({ identifier: "ResponsesReplayedCustomToolCall" })

const CustomToolCallOutput = Schema.Struct({
  type: Schema.Literal("custom_tool_call_output"),
  id,
  call_id: callId,
  output: Content,
  status
}).annotations({ identifier: "ResponsesCustomToolCallOutput" })

const ReasoningText = Schema.Struct({
  type: maybe(Schema.String).annotations({ description: "`summary_text` or `reasoning_text`." }),
  text: required(Schema.String, "The text.")
})

const Reasoning = Schema.Struct({
  type: Schema.Literal("reasoning"),
  id,
  summary: maybe(Schema.Array(ReasoningText)).annotations({ description: "The visible reasoning." }),
  content: maybe(Schema.Array(ReasoningText)).annotations({ description: "The reasoning text; ignored." }),
  encrypted_content: maybe(Schema.String).annotations({
    description: "Return it unchanged. Reasoning from elsewhere is dropped silently."
  }),
  status
}).annotations({ identifier: "ResponsesReplayedReasoning" })

const ItemReference = Schema.Struct({
  type: Schema.Literal("item_reference"),
  id: Schema.String.annotations({ description: "Id of an item of an earlier, stored response." })
}).annotations({ identifier: "ResponsesItemReference" })

const WebSearchCall = Schema.Struct({
  type: Schema.Literal("web_search_call"),
  id,
  status,
  action: maybe(JsonObject).annotations({ description: "The search's action, as returned." }),
  encrypted_content: maybe(Schema.String).annotations({ description: "Its results, as returned." })
}).annotations({ identifier: "ResponsesReplayedWebSearch" })

const AdditionalTools = Schema.Struct({
  type: Schema.Literal("additional_tools"),
  id,
  status,
  role: maybe(Schema.String).annotations({ description: "The role that adds them: `developer`." }),
  tools: Schema.Array(ToolEntry).annotations({ description: "Tools the model may call, beside those of `tools`." })
}).annotations({ identifier: "ResponsesAdditionalTools" })

const searchCallId = maybe(Schema.String).annotations({
  description: "Links the found tools to the search; absent if the upstream searched."
})
const execution = maybe(Schema.String).annotations({ description: "The side that searches: `client` or `server`." })

const ToolSearchCall = Schema.Struct({
  type: Schema.Literal("tool_search_call"),
  id,
  status,
  call_id: searchCallId,
  execution,
  arguments: required(Schema.Unknown, "The query, as the tool's `parameters` describe it.")
}).annotations({ identifier: "ResponsesReplayedToolSearchCall" })

const ToolSearchOutput = Schema.Struct({
  type: Schema.Literal("tool_search_output"),
  id,
  status,
  call_id: searchCallId,
  execution,
  tools: Schema.Array(ToolEntry).annotations({ description: "The tools found: the model may call them from here on." })
}).annotations({ identifier: "ResponsesToolSearchOutput" })

const CompactionTrigger = Schema.Struct({
  type: Schema.Literal("compaction_trigger"),
  id,
  status
}).annotations({
  identifier: "ResponsesCompactionTrigger",
  description: "As the last item: the answer is one `compaction` item, which holds the conversation in short."
})

/** Items of tools that OpenAI runs. Only upstreams of this dialect get them. */
const hosted = [
  "code_interpreter_call",
  "compaction",
  "file_search_call",
  "image_generation_call",
  "mcp_call",
  "mcp_list_tools"
] as const
const hostedTypes = new RegExp(`^(${hosted.join("|")})$`)

const HostedItem = Schema.Struct(
  { type: Schema.Literal(...hosted).annotations({ description: "A tool's output or input." }), id, status },
  { key: Schema.String, value: Schema.Unknown }
).annotations({
  identifier: "ResponsesHostedItem",
  description: "An item that only an upstream of this dialect understands: passed through, or dropped."
})

const members = {
  message: Message,
  function_call: FunctionCall,
  function_call_output: FunctionCallOutput,
  custom_tool_call: CustomToolCall,
  custom_tool_call_output: CustomToolCallOutput,
  reasoning: Reasoning,
  item_reference: ItemReference,
  web_search_call: WebSearchCall,
  additional_tools: AdditionalTools,
  tool_search_call: ToolSearchCall,
  tool_search_output: ToolSearchOutput,
  ...clientItems,
  ...mcpInputs,
  compaction_trigger: CompactionTrigger
}

/** One entry of an array `input`. */
export const InputItem = variants(members, { absent: "message", others: [[hostedTypes, HostedItem]], open: true })
export type InputItem = typeof InputItem.Type
/** A stored item. It may have fields that the gateway does not know. */
export type StoredItem = Exclude<InputItem, Unknown>

/**
 * True if an upstream's output item can be stored and replayed: it is valid, or of a kind that only the upstream knows.
 */
export const isReplayable = (item: unknown): boolean => isItem(item) || isNovel(item)

const isNovel = (item: unknown): boolean => isOfNovelType(item) && typeof item["id"] === "string"

/** True for an item of a type that the contract does not know. */
export const isOfNovelType = (item: unknown): item is JsonObject => {
  const type = isJsonObject(item) ? item["type"] : undefined
  return typeof type === "string" && !Object.hasOwn(members, type) && !hostedTypes.test(type)
}

const isItem = Schema.is(InputItem)

/** True if only an upstream of this dialect understands the item. */
export const isHosted = (item: InputItem): boolean =>
  isToolSearch(item)
    ? !isClientSearch(item)
    : hostedTypes.test(item.type ?? "") &&
      !isReplayed.has(item.type ?? "") &&
      summaryOf(item) === undefined &&
      madeImage(item) === undefined

/** Calls of servers' tools and answers to approvals are read everywhere; the lists have nothing for the model. */
const isReplayed: ReadonlySet<string> = new Set(["mcp_call", "mcp_list_tools"])

type ToolSearch = typeof ToolSearchCall.Type | typeof ToolSearchOutput.Type

const isToolSearch = (item: InputItem): item is ToolSearch =>
  item.type === "tool_search_call" || item.type === "tool_search_output"

/** True if the caller runs the tool search, not the upstream. */
export const isClientSearch = <Search extends ToolSearch>(
  item: Search
): item is Search & { readonly call_id: string } => typeof item.call_id === "string" && item.execution !== "server"

/** True if the request asks for a compaction of its conversation. */
export const endsInTrigger = (input: ReadonlyArray<InputItem>): boolean => input.at(-1)?.type === "compaction_trigger"

/** The tools that an item adds. */
export const toolsOf = (item: InputItem): ReadonlyArray<ToolEntry> =>
  item.type === "additional_tools" || item.type === "tool_search_output" ? item.tools : noTools

const noTools: ReadonlyArray<never> = []
