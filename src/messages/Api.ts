import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { anthropicHeaders } from "../contract/callers/anthropicClient.ts"
import { AnthropicError } from "../contract/failures/anthropicErrors.ts"
import { BodyLimit, Clients, Idempotent, Prefixes, RateHeaders, RequestIdInErrors } from "../contract/annotations.ts"
import { eventStream } from "../contract/bodies/eventStream.ts"
import { MessagesError } from "./Errors.ts"
import { Message, TaskHandle, TokenCount } from "./Message.ts"
import { CountTokens, CreateMessage } from "./Request.ts"

const create = HttpApiEndpoint.post("create", "/v1/messages")
  .setPayload(CreateMessage)
  .addSuccess(Schema.Union(Message, TaskHandle))
  .annotate(Idempotent, true)
  .annotateContext(
    OpenApi.annotations({
      summary: "Create a message",
      description:
        "Answers a conversation: with the message, with a task when `async` is true, or with a server-sent event " +
        "stream when `stream` is true (`stream` wins). A failure after the stream has begun is an `error` event.",
      transform: (operation) => {
        operation.responses[200].content["text/event-stream"] = eventStream({
          description:
            "`message_start`, then for each block `content_block_start`, `content_block_delta`s and " +
            "`content_block_stop`, then `message_delta` and `message_stop`; `ping` may come at any time.",
          event: "The event's name.",
          data: "JSON, whose `type` is the event's name."
        })
        return operation
      }
    })
  )

const countTokens = HttpApiEndpoint.post("countTokens", "/v1/messages/count_tokens")
  .setPayload(CountTokens)
  .addSuccess(TokenCount)
  .annotateContext(
    OpenApi.annotations({
      summary: "Count a message's input tokens",
      description: "Estimates the input tokens of a message request's body."
    })
  )

/** `/v1/messages` (docs/api.md#messages). */
export class MessagesApi extends HttpApiGroup.make("messages")
  .add(create)
  .add(countTokens)
  .addError(MessagesError)
  .annotate(Prefixes, ["/v1/messages"])
  .annotate(Clients, {
    headers: anthropicHeaders,
    prefixes: [],
    errors: AnthropicError
  })
  .annotate(BodyLimit, 32 * 1024 * 1024)
  .annotate(RequestIdInErrors, true)
  .annotate(RateHeaders, "anthropic")
  .annotateContext(OpenApi.annotations({ title: "Messages", description: "Assistant messages from conversations." })) {}
