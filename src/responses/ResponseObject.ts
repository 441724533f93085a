import { Schema } from "effect"
import { variants } from "../contract/variants.ts"

const exactly = <A, I, R>(schema: Schema.Schema<A, I, R>) => Schema.optionalWith(schema, { exact: true })
const nullable = { text: Schema.NullOr(Schema.String), integer: Schema.NullOr(Schema.Int) }
const ItemStatus = Schema.Literal("in_progress", "completed", "incomplete", "failed")
export type ItemStatus = typeof ItemStatus.Type

const UrlCitation = Schema.Struct({
  type: Schema.Literal("url_citation"),
  start_index: Schema.Int,
  end_index: Schema.Int,
  url: Schema.String,
  title: Schema.String
}).annotations({ identifier: "ResponsesUrlCitation" })
export type UrlCitation = typeof UrlCitation.Type

const OutputText = Schema.Struct({
  type: Schema.Literal("output_text"),
  text: Schema.String,
  annotations: Schema.Array(UrlCitation),
  logprobs: Schema.Array(Schema.Unknown)
}).annotations({ identifier: "ResponsesOutputText" })

const Refusal = Schema.Struct({ type: Schema.Literal("refusal"), refusal: Schema.String }).annotations({
  identifier: "ResponsesRefusal"
})

const OutputPart = variants({ output_text: OutputText, refusal: Refusal })
export type OutputPart = typeof OutputPart.Type

const OutputMessage = Schema.Struct({
  id: Schema.String,
  type: Schema.Literal("message"),
  status: ItemStatus,
  role: Schema.Literal("assistant"),
  content: Schema.Array(OutputPart)
}).annotations({ identifier: "ResponsesMessage" })

const SummaryText = Schema.Struct({ type: Schema.Literal("summary_text"), text: Schema.String })

const OutputReasoning = Schema.Struct({
  id: Schema.String,
  type: Schema.Literal("reasoning"),
  status: ItemStatus,
  summary: Schema.Array(SummaryText),
  encrypted_content: exactly(Schema.String).annotations({
    description: 'Only with `include: ["reasoning.encrypted_content"]` or `store: false`.'
  })
}).annotations({ identifier: "ResponsesOutputReasoning" })

const OutputFunctionCall = Schema.Struct({
  id: Schema.String,
  type: Schema.Literal("function_call"),
  status: ItemStatus,
  call_id: Schema.String,
  name: Schema.String,
  namespace: exactly(Schema.String),
  arguments: Schema.String
}).annotations({ identifier: "ResponsesFunctionCall" })

const OutputCustomToolCall = Schema.Struct({
  id: Schema.String,
  type: Schema.Literal("custom_tool_call"),
  status: ItemStatus,
  call_id: Schema.String,
  name: Schema.String,
  namespace: exactly(Schema.String),
  input: Schema.String
}).annotations({ identifier: "ResponsesCustomToolCall" })

const OutputWebSearch = Schema.Struct({
  id: Schema.String,
  type: Schema.Literal("web_search_call"),
  status: ItemStatus,
  action: Schema.Struct({
    type: Schema.Literal("search"),
    query: Schema.String,
    queries: exactly(Schema.Array(Schema.String)),
    sources: exactly(Schema.Array(Schema.Struct({ type: Schema.Literal("url"), url: Schema.String }))).annotations({
      description: 'Only with `include: ["web_search_call.action.sources"]`.'
    })
  })
}).annotations({ identifier: "ResponsesWebSearchCall" })

/** One entry of `output`. */
export const OutputItem = variants({
  message: OutputMessage,
  reasoning: OutputReasoning,
  function_call: OutputFunctionCall,
  custom_tool_call: OutputCustomToolCall,
  web_search_call: OutputWebSearch
})
export type OutputItem = typeof OutputItem.Type

const ContentFilter = Schema.Struct({
  blocked: Schema.Boolean,
  source_type: Schema.String,
  content_filter_raw: Schema.Array(Schema.Unknown),
  content_filter_results: Schema.Record({ key: Schema.String, value: Schema.Unknown }),
  content_filter_offsets: Schema.Struct({
    start_offset: Schema.Int,
    end_offset: Schema.Int,
    check_offset: Schema.Int
  })
}).annotations({ identifier: "ResponsesContentFilter" })

const Usage = Schema.Struct({
  input_tokens: Schema.Int,
  input_tokens_details: Schema.Struct({ cached_tokens: Schema.Int }),
  output_tokens: Schema.Int,
  output_tokens_details: Schema.Struct({ reasoning_tokens: Schema.Int }),
  total_tokens: Schema.Int
}).annotations({ identifier: "ResponsesUsage" })

const ResponseError = Schema.Struct({
  code: Schema.String,
  message: Schema.String,
  type: Schema.String,
  param: nullable.text
})

/** The specification's B4. Its fields stand in the order they leave in. */
export const ResponseObject = Schema.Struct({
  id: Schema.String,
  object: Schema.Literal("response"),
  created_at: Schema.Int.annotations({ description: "Unix seconds." }),
  completed_at: nullable.integer,
  status: Schema.Literal("in_progress", "completed", "incomplete", "failed"),
  background: Schema.Boolean,
  content_filters: Schema.Array(ContentFilter),
  error: Schema.NullOr(ResponseError),
  incomplete_details: Schema.NullOr(Schema.Struct({ reason: Schema.Literal("max_output_tokens", "content_filter") })),
  instructions: nullable.text,
  max_output_tokens: nullable.integer,
  max_tool_calls: nullable.integer,
  model: Schema.String,
  output: Schema.Array(OutputItem),
  parallel_tool_calls: Schema.Boolean,
  frequency_penalty: Schema.Number,
  presence_penalty: Schema.Number,
  temperature: Schema.Number,
  top_p: Schema.Number,
  previous_response_id: nullable.text,
  prompt_cache_key: nullable.text,
  prompt_cache_retention: nullable.text,
  safety_identifier: nullable.text,
  user: nullable.text,
  reasoning: Schema.Struct({ effort: nullable.text, summary: nullable.text }),
  service_tier: Schema.String,
  store: Schema.Boolean,
  text: Schema.Struct({
    format: Schema.Struct({ type: Schema.String }, { key: Schema.String, value: Schema.Unknown }),
    verbosity: Schema.String
  }),
  tool_choice: Schema.Union(Schema.String, Schema.Record({ key: Schema.String, value: Schema.Unknown })).annotations({
    description: "As it was sent."
  }),
  tools: Schema.Array(Schema.Record({ key: Schema.String, value: Schema.Unknown })).annotations({
    description: "The effective tool entries."
  }),
  top_logprobs: Schema.Int,
  truncation: Schema.String,
  usage: Schema.NullOr(Usage),
  metadata: Schema.Record({ key: Schema.String, value: Schema.String })
}).annotations({ identifier: "Response" })
export type ResponseObject = typeof ResponseObject.Type
