import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { AskedBySocket, BodyLimit, CallsServers, Idempotent, Prefixes, RateHeaders } from "../contract/annotations.ts"
import { CodedError } from "../contract/failures/codedErrors.ts"
import { eventStream } from "../contract/bodies/eventStream.ts"
import { answerField } from "../contract/fields.ts"
import { Compacted, CompactResponse } from "./compact/CompactResponse.ts"
import { CountInputTokens, CreateResponse } from "./CreateResponse.ts"
import { InputItem } from "./InputItem.ts"
import { ItemPageParams, itemPageOf } from "./itemPage.ts"
import { ResponseObject } from "./ResponseObject.ts"
import { wholeNumber } from "../contract/wholeNumber.ts"

const events = `Server-sent events, each with its \`type\` as the event's name and a \`sequence_number\` that counts from 0:
\`response.created\` and \`response.in_progress\`; for each output item \`response.output_item.added\`, its deltas
(\`response.content_part.added\`, \`response.output_text.delta\`, \`response.output_text.annotation.added\`,
\`response.refusal.delta\`, \`response.reasoning_summary_part.added\`, \`response.reasoning_summary_text.delta\`,
\`response.function_call_arguments.delta\`, \`response.custom_tool_call_input.delta\`, each with its \`.done\`;
\`response.web_search_call.in_progress\`, \`.searching\`, \`.completed\`) and \`response.output_item.done\`; at the end
\`response.completed\` or \`response.incomplete\`. A failure after the stream has begun is an \`error\` event and then
\`response.failed\`. Comments keep a quiet stream alive.`

const alsoStreams = (summary: string, description: string) =>
  OpenApi.annotations({
    summary,
    description,
    transform: (operation) => {
      operation.responses[200].content["text/event-stream"] = eventStream({
        description: events,
        event: "The event's name.",
        data: "JSON, whose `type` is the event's name."
      })
      return operation
    }
  })

const path = Schema.Struct({ id: Schema.String.annotations({ description: "Id of a stored response." }) })

const List = Schema.optional(Schema.Union(Schema.String, Schema.Array(Schema.String))).annotations({
  description: "Optional parts of the output: `web_search_call.action.sources`, `reasoning.encrypted_content`."
})

const create = HttpApiEndpoint.post("create", "/v1/responses")
  .setPayload(CreateResponse)
  .addSuccess(ResponseObject)
  .annotate(Idempotent, true)
  .annotate(CallsServers, true)
  .annotate(AskedBySocket, "response.create")
  .annotateContext(
    alsoStreams(
      "Create a response",
      "Generates a model response; a stream of server-sent events where `stream` is true. Stored for 30 days unless " +
        "`store` is false. A WebSocket on this path takes the same as messages of the type `response.create`."
    )
  )

const find = HttpApiEndpoint.get("find", "/v1/responses/:id")
  .setPath(path)
  .setUrlParams(
    Schema.Struct({
      stream: Schema.optional(Schema.String).annotations({ description: "`true` replays the response's events." }),
      starting_after: Schema.optional(wholeNumber(0)).annotations({
        description: "With `stream`: the `sequence_number` after which the replay begins."
      }),
      include: List,
      "include[]": List
    })
  )
  .addSuccess(ResponseObject)
  .annotateContext(
    alsoStreams(
      "Read a stored response",
      "The final response. A running background response is returned in its current state, or streamed until its end."
    )
  )

const remove = HttpApiEndpoint.del("remove", "/v1/responses/:id")
  .setPath(path)
  .addSuccess(
    Schema.Struct({
      id: answerField(Schema.String, "Id of the deleted response."),
      object: Schema.Literal("response"),
      deleted: Schema.Literal(true)
    })
  )
  .annotateContext(
    OpenApi.annotations({
      summary: "Delete a stored response",
      description: "A response that still runs in the background is cancelled."
    })
  )

const cancel = HttpApiEndpoint.post("cancel", "/v1/responses/:id/cancel")
  .setPath(path)
  .addSuccess(ResponseObject)
  .annotateContext(
    OpenApi.annotations({
      summary: "Cancel a background response",
      description:
        "Returns the response in its current state. An ended response does not change; 400 if it never ran in the background."
    })
  )

const inputItems = HttpApiEndpoint.get("inputItems", "/v1/responses/:id/input_items")
  .setPath(path)
  .setUrlParams(
    Schema.Struct({
      ...ItemPageParams,
      include: List,
      "include[]": List
    })
  )
  .addSuccess(itemPageOf(InputItem, "The items of the page."))
  .annotateContext(OpenApi.annotations({ summary: "List a stored response's input items" }))

const inputTokens = HttpApiEndpoint.post("inputTokens", "/v1/responses/input_tokens")
  .setPayload(CountInputTokens)
  .addSuccess(
    Schema.Struct({
      object: Schema.Literal("response.input_tokens"),
      input_tokens: answerField(
        Schema.Int,
        "Input tokens: the upstream's count if it offers one for translated requests (`gemini`), otherwise an estimate."
      )
    })
  )
  .annotateContext(
    OpenApi.annotations({
      summary: "Count input tokens",
      description: "Estimates a response request's input tokens."
    })
  )

const compact = HttpApiEndpoint.post("compact", "/v1/responses/compact")
  .setPayload(CompactResponse)
  .addSuccess(Compacted)
  .annotate(Idempotent, true)
  .annotateContext(
    OpenApi.annotations({
      summary: "Compact a conversation",
      description:
        "Compacts a conversation to the user's messages and a summary of the rest by the model. Send the result as the " +
        "input of the next request, to any model."
    })
  )

/** `/v1/responses` (docs/api.md#responses). It also renders failures that belong to no group. */
export class ResponsesApi extends HttpApiGroup.make("responses")
  .add(create)
  .add(inputTokens)
  .add(compact)
  .add(find)
  .add(remove)
  .add(cancel)
  .add(inputItems)
  .addError(CodedError)
  .annotate(Prefixes, ["/v1/responses", "/"])
  .annotate(BodyLimit, 32 * 1024 * 1024)
  .annotate(RateHeaders, "openai")
  .annotateContext(
    OpenApi.annotations({ title: "Responses", description: "Model responses, stored and continued." })
  ) {}
