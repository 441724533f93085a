import { Schema } from "effect"
import { said } from "../contract/fields.ts"
import { variants } from "../contract/variants.ts"
import { outputCalls } from "./clientTools/OutputCall.ts"

const exactly = <A, I, R>(schema: Schema.Schema<A, I, R>) => Schema.optionalWith(schema, { exact: true })
const nullable = { text: Schema.NullOr(Schema.String), integer: Schema.NullOr(Schema.Int) }
const ItemStatus = said(
  Schema.Literal("in_progress", "completed", "incomplete", "failed"),
  "`in_progress` only inside a stream."
)
const itemId = said(Schema.String, "Id of the item; an `item_reference` may name it later.")
const callId = said(Schema.String, "Links the tool's output to this call.")
const toolName = said(Schema.String, "Name of the tool.")
const namespace = exactly(Schema.String).annotations({ description: "Namespace of the tool, if it has one." })
export type ItemStatus = typeof ItemStatus.Type

const UrlCitation = Schema.Struct({
  type: Schema.Literal("url_citation"),
  start_index: said(Schema.Int, "Start of the cited words in the text."),
  end_index: said(Schema.Int, "End of the cited words in the text."),
  url: said(Schema.String, "Address of the page."),
  title: said(Schema.String, "Title of the page.")
}).annotations({ identifier: "ResponsesUrlCitation" })
export type UrlCitation = typeof UrlCitation.Type

const OutputText = Schema.Struct({
  type: Schema.Literal("output_text"),
  text: said(Schema.String, "The text."),
  annotations: said(Schema.Array(UrlCitation), "Citations in the text."),
  logprobs: said(Schema.Array(Schema.Unknown), "Log probabilities of its tokens, if requested and told.")
}).annotations({ identifier: "ResponsesOutputText" })

const Refusal = Schema.Struct({
  type: Schema.Literal("refusal"),
  refusal: said(Schema.String, "The model's refusal.")
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
  content: said(Schema.Array(OutputPart), "Text and refusals, in order.")
}).annotations({ identifier: "ResponsesMessage" })

const SummaryText = Schema.Struct({ type: Schema.Literal("summary_text"), text: said(Schema.String, "The summary.") })

const OutputReasoning = Schema.Struct({
  id: itemId,
  type: Schema.Literal("reasoning"),
  status: ItemStatus,
  summary: said(Schema.Array(SummaryText), "The visible reasoning; may be empty."),
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
  arguments: said(Schema.String, "JSON text.")
}).annotations({ identifier: "ResponsesFunctionCall" })

const OutputCustomToolCall = Schema.Struct({
  id: itemId,
  type: Schema.Literal("custom_tool_call"),
  status: ItemStatus,
  call_id: callId,
  name: toolName,
  namespace,
  input: said(Schema.String, "Free text for the tool.")
}).annotations({ identifier: "ResponsesCustomToolCall" })

const OutputToolSearchCall = Schema.Struct({
  id: itemId,
  type: Schema.Literal("tool_search_call"),
  status: ItemStatus,
  call_id: callId,
  execution: said(Schema.Literal("client"), "The caller searches, and answers with a `tool_search_output`."),
  arguments: said(Schema.Unknown, "The query, as the tool's `parameters` describe it.")
}).annotations({ identifier: "ResponsesToolSearchCall" })

const OutputWebSearch = Schema.Struct({
  id: itemId,
  type: Schema.Literal("web_search_call"),
  status: ItemStatus,
  action: said(
    Schema.Struct({
      type: Schema.Literal("search"),
      query: said(Schema.String, "The query."),
      queries: exactly(Schema.Array(Schema.String)).annotations({ description: "Every query of the search." }),
      sources: exactly(
        Schema.Array(Schema.Struct({ type: Schema.Literal("url"), url: said(Schema.String, "Address of the page.") }))
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

const OutputCompaction = Schema.Struct({
  id: itemId,
  type: Schema.Literal("compaction"),
  status: ItemStatus,
  encrypted_content: said(Schema.String, "The conversation in short, for the input of the next request.")
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
  compaction: OutputCompaction
})
export type OutputItem = typeof OutputItem.Type

const ContentFilter = Schema.Struct({
  blocked: said(Schema.Boolean, "True if the filter held something back."),
  source_type: said(Schema.String, "The filtered part: `prompt` or `completion`."),
  content_filter_raw: said(Schema.Array(Schema.Unknown), "The filter's own findings."),
  content_filter_results: said(
    Schema.Record({ key: Schema.String, value: Schema.Unknown }),
    "The findings by category."
  ),
  content_filter_offsets: said(
    Schema.Struct({
      start_offset: said(Schema.Int, "First checked character."),
      end_offset: said(Schema.Int, "Last checked character."),
      check_offset: said(Schema.Int, "Offset up to which the request was checked.")
    }),
    "The part of the text it concerns."
  )
}).annotations({ identifier: "ResponsesContentFilter" })

export const Usage = Schema.Struct({
  input_tokens: said(Schema.Int, "Tokens of the input, cached ones included."),
  input_tokens_details: said(
    Schema.Struct({
      cached_tokens: said(Schema.Int, "Input tokens read from a cache."),
      cache_write_tokens: Schema.optionalWith(Schema.Int, { exact: true }).annotations({
        description: "Input tokens written to a cache, if there are any."
      })
    }),
    "Of the input tokens."
  ),
  output_tokens: said(Schema.Int, "Generated tokens, reasoning included."),
  output_tokens_details: said(
    Schema.Struct({ reasoning_tokens: said(Schema.Int, "Tokens of reasoning.") }),
    "Of the output tokens."
  ),
  total_tokens: said(Schema.Int, "Input and output together.")
}).annotations({ identifier: "ResponsesUsage" })

const ResponseError = Schema.Struct({
  code: said(Schema.String, "`server_error`, `rate_limit_exceeded`, …"),
  message: said(Schema.String, "The error in words."),
  type: said(Schema.String, "The error type that an HTTP error would have."),
  param: said(nullable.text, "The field at fault, if there is one.")
})

export const ResponseStatus = Schema.Literal("queued", "in_progress", "completed", "incomplete", "failed", "cancelled")
export type ResponseStatus = typeof ResponseStatus.Type

/** The answer (docs/api.md#the-response-object). Fields are sent in this order. */
export const ResponseObject = Schema.Struct({
  id: said(Schema.String, "Id of the response, for `previous_response_id`."),
  object: Schema.Literal("response"),
  created_at: Schema.Int.annotations({ description: "Unix seconds." }),
  completed_at: said(nullable.integer, "Unix seconds; null unless it completed."),
  status: said(
    ResponseStatus,
    "`queued` and `in_progress` occur only in a stream or for a background response. `incomplete_details` or `error` gives the reason that it is not `completed`."
  ),
  background: said(Schema.Boolean, "True if it is generated in the background."),
  content_filters: said(Schema.Array(ContentFilter), "Findings of content filters; may be empty."),
  error: said(Schema.NullOr(ResponseError), "Why it failed; null otherwise."),
  incomplete_details: said(
    Schema.NullOr(
      Schema.Struct({
        reason: said(Schema.Literal("max_output_tokens", "content_filter"), "The reason it was cut short.")
      })
    ),
    "Why it is incomplete; null otherwise."
  ),
  instructions: said(nullable.text, "As they were sent."),
  max_output_tokens: said(nullable.integer, "As sent."),
  max_tool_calls: said(nullable.integer, "As sent."),
  model: said(Schema.String, "The model as the request named it."),
  output: said(Schema.Array(OutputItem), "The model's output, in order."),
  parallel_tool_calls: said(Schema.Boolean, "True if the model could call several tools at once."),
  frequency_penalty: said(Schema.Number, "Always 0."),
  presence_penalty: said(Schema.Number, "Always 0."),
  temperature: said(Schema.Number, "As sent; 1 if it was left out."),
  top_p: said(Schema.Number, "As sent; 1 if it was left out."),
  previous_response_id: said(nullable.text, "The response that this one continues."),
  prompt_cache_key: said(nullable.text, "As sent."),
  prompt_cache_retention: said(nullable.text, "As sent."),
  safety_identifier: said(nullable.text, "As sent."),
  user: said(nullable.text, "As sent."),
  reasoning: said(
    Schema.Struct({
      effort: said(nullable.text, "The effort in effect; null if the model has none."),
      summary: said(nullable.text, "How much of the reasoning is shown.")
    }),
    "The reasoning configuration in effect."
  ),
  service_tier: said(Schema.String, "The tier that served the request, if the upstream told it; else as sent."),
  store: said(Schema.Boolean, "True if it can be read back and continued."),
  text: said(
    Schema.Struct({
      format: said(
        Schema.Struct(
          { type: said(Schema.String, "`text`, `json_object` or `json_schema`.") },
          { key: Schema.String, value: Schema.Unknown }
        ),
        "The required format of the text."
      ),
      verbosity: said(Schema.String, "As sent.")
    }),
    "The text configuration in effect."
  ),
  tool_choice: Schema.Union(Schema.String, Schema.Record({ key: Schema.String, value: Schema.Unknown })).annotations({
    description: "As sent."
  }),
  tools: Schema.Array(Schema.Record({ key: Schema.String, value: Schema.Unknown })).annotations({
    description: "The effective tool entries."
  }),
  top_logprobs: said(Schema.Int, "As sent."),
  truncation: said(Schema.String, "`auto` or `disabled`."),
  usage: said(Schema.NullOr(Usage), "Tokens used; null before the end, after a failure or a cancellation."),
  metadata: said(Schema.Record({ key: Schema.String, value: Schema.String }), "As sent.")
}).annotations({ identifier: "Response" })
export type ResponseObject = typeof ResponseObject.Type
