import { Schema } from "effect"
import { answerField } from "../contract/fields.ts"
import { variants } from "../contract/variants.ts"
import { outputCalls } from "./clientTools/OutputCall.ts"
import { mcpOutputs } from "./mcp/OutputMcp.ts"

const exactly = <A, I, R>(schema: Schema.Schema<A, I, R>) => Schema.optionalWith(schema, { exact: true })
const nullable = { text: Schema.NullOr(Schema.String), integer: Schema.NullOr(Schema.Int) }
const ItemStatus = answerField(
  Schema.Literal("in_progress", "completed", "incomplete", "failed"),
  "`in_progress` only inside a stream."
)
const itemId = answerField(Schema.String, "Id of the item; an `item_reference` may name it later.")
const callId = answerField(Schema.String, "Links the tool's output to this call.")
const toolName = answerField(Schema.String, "Name of the tool.")
const namespace = exactly(Schema.String).annotations({ description: "Namespace of the tool, if it has one." })
export type ItemStatus = typeof ItemStatus.Type

const UrlCitation = Schema.Struct({
  type: Schema.Literal("url_citation"),
  start_index: answerField(Schema.Int, "Start of the cited words in the text."),
  end_index: answerField(Schema.Int, "End of the cited words in the text."),
  url: answerField(Schema.String, "Address of the page."),
  title: answerField(Schema.String, "Title of the page.")
}).annotations({ identifier: "ResponsesUrlCitation" })
export type UrlCitation = typeof UrlCitation.Type

const OutputText = Schema.Struct({
  type: Schema.Literal("output_text"),
  text: answerField(Schema.String, "The text."),
  annotations: answerField(Schema.Array(UrlCitation), "Citations in the text."),
  logprobs: answerField(Schema.Array(Schema.Unknown), "Log probabilities of its tokens, if requested and told.")
}).annotations({ identifier: "ResponsesOutputText" })

const Refusal = Schema.Struct({
  type: Schema.Literal("refusal"),
  refusal: answerField(Schema.String, "The model's refusal.")
}).annotations({
  identifier: "ResponsesRefusal"
})

const OutputPart = variants({ output_text: OutputText, refusal: Refusal })
export type OutputPart = typeof OutputPart.Type

const OutputMessage = Schema.Struct({
  id: itemId,
  type: Schema.Literal("message"),
  status: ItemStatus,
  role: Schema.Literal("assistant"),
  content: answerField(Schema.Array(OutputPart), "Text and refusals, in order.")
}).annotations({ identifier: "ResponsesMessage" })

const SummaryText = Schema.Struct({
  type: Schema.Literal("summary_text"),
  text: answerField(Schema.String, "The summary.")
})

const OutputReasoning = Schema.Struct({
  id: itemId,
  type: Schema.Literal("reasoning"),
  status: ItemStatus,
  summary: answerField(Schema.Array(SummaryText), "The visible reasoning; may be empty."),
  encrypted_content: exactly(Schema.String).annotations({
    description: 'Only with `include: ["reasoning.encrypted_content"]` or `store: false`.'
  })
}).annotations({ identifier: "ResponsesOutputReasoning" })

const OutputFunctionCall = Schema.Struct({
  id: itemId,
  type: Schema.Literal("function_call"),
  status: ItemStatus,
  call_id: callId,
  name: toolName,
  namespace,
  arguments: answerField(Schema.String, "JSON text.")
}).annotations({ identifier: "ResponsesFunctionCall" })

const OutputCustomToolCall = Schema.Struct({
  id: itemId,
  type: Schema.Literal("custom_tool_call"),
  status: ItemStatus,
  call_id: callId,
  name: toolName,
  namespace,
  input: answerField(Schema.String, "Free text for the tool.")
}).annotations({ identifier: "ResponsesCustomToolCall" })

const OutputToolSearchCall = Schema.Struct({
  id: itemId,
  type: Schema.Literal("tool_search_call"),
  status: ItemStatus,
  call_id: callId,
  execution: answerField(Schema.Literal("client"), "The caller searches, and answers with a `tool_search_output`."),
  arguments: answerField(Schema.Unknown, "The query, as the tool's `parameters` describe it.")
}).annotations({ identifier: "ResponsesToolSearchCall" })

const OutputWebSearch = Schema.Struct({
  id: itemId,
  type: Schema.Literal("web_search_call"),
  status: ItemStatus,
  action: answerField(
    Schema.Struct({
      type: Schema.Literal("search"),
      query: answerField(Schema.String, "The query."),
      queries: exactly(Schema.Array(Schema.String)).annotations({ description: "Every query of the search." }),
      sources: exactly(
        Schema.Array(
          Schema.Struct({ type: Schema.Literal("url"), url: answerField(Schema.String, "Address of the page.") })
        )
      ).annotations({ description: 'Only with `include: ["web_search_call.action.sources"]`.' })
    }),
    "The search's action."
  ),
  encrypted_content: exactly(Schema.String).annotations({
    description:
      'Its results, for a replay without `store`. Only with `include: ["reasoning.encrypted_content"]`, and if they are ' +
      "more than addresses."
  })
}).annotations({ identifier: "ResponsesWebSearchCall" })

const OutputImage = Schema.Struct({
  id: itemId,
  type: Schema.Literal("image_generation_call"),
  status: ItemStatus,
  result: answerField(nullable.text, "The image in base64; null while it is made."),
  output_format: exactly(Schema.String).annotations({ description: "`png`, `jpeg` or `webp`." })
}).annotations({ identifier: "ResponsesImageGenerationCall" })

const OutputCompaction = Schema.Struct({
  id: itemId,
  type: Schema.Literal("compaction"),
  status: ItemStatus,
  encrypted_content: answerField(Schema.String, "The conversation in short, for the input of the next request.")
}).annotations({ identifier: "ResponsesCompaction" })

/** One entry of `output`. */
export const OutputItem = variants({
  message: OutputMessage,
  reasoning: OutputReasoning,
  function_call: OutputFunctionCall,
  custom_tool_call: OutputCustomToolCall,
  tool_search_call: OutputToolSearchCall,
  ...outputCalls,
  web_search_call: OutputWebSearch,
  image_generation_call: OutputImage,
  ...mcpOutputs,
  compaction: OutputCompaction
})
export type OutputItem = typeof OutputItem.Type

const ContentFilter = Schema.Struct({
  blocked: answerField(Schema.Boolean, "True if the filter held something back."),
  source_type: answerField(Schema.String, "The filtered part: `prompt` or `completion`."),
  content_filter_raw: answerField(Schema.Array(Schema.Unknown), "The filter's own findings."),
  content_filter_results: answerField(
    Schema.Record({ key: Schema.String, value: Schema.Unknown }),
    "The findings by category."
  ),
  content_filter_offsets: answerField(
    Schema.Struct({
      start_offset: answerField(Schema.Int, "First checked character."),
      end_offset: answerField(Schema.Int, "Last checked character."),
      check_offset: answerField(Schema.Int, "Offset up to which the request was checked.")
    }),
    "The part of the text it concerns."
  )
}).annotations({ identifier: "ResponsesContentFilter" })

export const Usage = Schema.Struct({
  input_tokens: answerField(Schema.Int, "Tokens of the input, cached ones included."),
  input_tokens_details: answerField(
    Schema.Struct({
      cached_tokens: answerField(Schema.Int, "Input tokens read from a cache."),
      cache_write_tokens: Schema.optionalWith(Schema.Int, { exact: true }).annotations({
        description: "Input tokens written to a cache, if there are any."
      })
    }),
    "Of the input tokens."
  ),
  output_tokens: answerField(Schema.Int, "Generated tokens, reasoning included."),
  output_tokens_details: answerField(
    Schema.Struct({ reasoning_tokens: answerField(Schema.Int, "Tokens of reasoning.") }),
    "Of the output tokens."
  ),
  total_tokens: answerField(Schema.Int, "Input and output together.")
}).annotations({ identifier: "ResponsesUsage" })

const ResponseError = Schema.Struct({
  code: answerField(Schema.String, "`server_error`, `rate_limit_exceeded`, …"),
  message: answerField(Schema.String, "The error in words."),
  type: answerField(Schema.String, "The error type that an HTTP error would have."),
  param: answerField(nullable.text, "The field at fault, if there is one.")
})

export const ResponseStatus = Schema.Literal("queued", "in_progress", "completed", "incomplete", "failed", "cancelled")
export type ResponseStatus = typeof ResponseStatus.Type

/** The answer (docs/api.md#the-response-object). Fields are sent in this order. */
export const ResponseObject = Schema.Struct({
  id: answerField(Schema.String, "Id of the response, for `previous_response_id`."),
  object: Schema.Literal("response"),
  created_at: Schema.Int.annotations({ description: "Unix seconds." }),
  completed_at: answerField(nullable.integer, "Unix seconds; null unless it completed."),
  status: answerField(
    ResponseStatus,
    "`queued` and `in_progress` occur only in a stream or for a background response. `incomplete_details` or `error` gives the reason that it is not `completed`."
  ),
  background: answerField(Schema.Boolean, "True if it is generated in the background."),
  content_filters: answerField(Schema.Array(ContentFilter), "Findings of content filters; may be empty."),
  error: answerField(Schema.NullOr(ResponseError), "Why it failed; null otherwise."),
  incomplete_details: answerField(
    Schema.NullOr(
      Schema.Struct({
        reason: answerField(Schema.Literal("max_output_tokens", "content_filter"), "The reason it was cut short.")
      })
    ),
    "Why it is incomplete; null otherwise."
  ),
  instructions: answerField(nullable.text, "As they were sent."),
  max_output_tokens: answerField(nullable.integer, "As sent."),
  max_tool_calls: answerField(nullable.integer, "As sent."),
  model: answerField(Schema.String, "The model as the request named it."),
  output: answerField(Schema.Array(OutputItem), "The model's output, in order."),
  parallel_tool_calls: answerField(Schema.Boolean, "True if the model could call several tools at once."),
  frequency_penalty: answerField(Schema.Number, "Always 0."),
  presence_penalty: answerField(Schema.Number, "Always 0."),
  temperature: answerField(Schema.Number, "As sent; 1 if it was left out."),
  top_p: answerField(Schema.Number, "As sent; 1 if it was left out."),
  previous_response_id: answerField(nullable.text, "The response that this one continues."),
  conversation: exactly(Schema.Struct({ id: answerField(Schema.String, "Id of the conversation.") })).annotations({
    description: "The conversation that it belongs to; absent if it has none."
  }),
  prompt_cache_key: answerField(nullable.text, "As sent."),
  prompt_cache_retention: answerField(nullable.text, "As sent."),
  safety_identifier: answerField(nullable.text, "As sent."),
  user: answerField(nullable.text, "As sent."),
  reasoning: answerField(
    Schema.Struct({
      effort: answerField(nullable.text, "The effort in effect; null if the model has none."),
      summary: answerField(nullable.text, "How much of the reasoning is shown.")
    }),
    "The reasoning configuration in effect."
  ),
  service_tier: answerField(Schema.String, "The tier that served the request, if the upstream told it; else as sent."),
  store: answerField(Schema.Boolean, "True if it can be read back and continued."),
  text: answerField(
    Schema.Struct({
      format: answerField(
        Schema.Struct(
          { type: answerField(Schema.String, "`text`, `json_object` or `json_schema`.") },
          { key: Schema.String, value: Schema.Unknown }
        ),
        "The required format of the text."
      ),
      verbosity: answerField(Schema.String, "As sent.")
    }),
    "The text configuration in effect."
  ),
  tool_choice: Schema.Union(Schema.String, Schema.Record({ key: Schema.String, value: Schema.Unknown })).annotations({
    description: "As sent."
  }),
  tools: Schema.Array(Schema.Record({ key: Schema.String, value: Schema.Unknown })).annotations({
    description: "The effective tool entries."
  }),
  top_logprobs: answerField(Schema.Int, "As sent."),
  truncation: answerField(Schema.String, "`auto` or `disabled`."),
  usage: answerField(Schema.NullOr(Usage), "Tokens used; null before the end, after a failure or a cancellation."),
  metadata: answerField(Schema.Record({ key: Schema.String, value: Schema.String }), "As sent.")
}).annotations({ identifier: "Response" })
export type ResponseObject = typeof ResponseObject.Type
