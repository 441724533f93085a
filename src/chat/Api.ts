import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "@effect/platform"
import { BodyLimit, Idempotent, Prefixes, RateHeaders } from "../contract/annotations.ts"
import { ModelNotFoundError } from "../contract/failures/codedErrors.ts"
import { eventStream } from "../contract/bodies/eventStream.ts"
import { ChatCompletion } from "./Completion.ts"
import { CreateCompletion } from "./Request.ts"
import { find, list, messages, remove, update } from "./stored/endpoints.ts"

const create = HttpApiEndpoint.post("create", "/v1/chat/completions")
  .setPayload(CreateCompletion)
  .addSuccess(ChatCompletion)
  .annotate(Idempotent, true)
  .annotateContext(
    OpenApi.annotations({
      summary: "Create a chat completion",
      description:
        "Answers a conversation: with the completion, or with a server-sent event stream when `stream` is true. " +
        'A failure after the stream has begun is one frame `data: {"error": …}`, and no `[DONE]` follows.',
      transform: (operation) => {
        operation.responses[200].content["text/event-stream"] = eventStream({
          description:
            "`chat.completion.chunk` objects, each with a `delta` of the message; the last one of an answer has its " +
            "`finish_reason`, and one without `choices` the usage if requested; then `[DONE]`.",
          data: "A chunk as JSON, or `[DONE]`."
        })
        return operation
      }
    })
  )

/** `/v1/chat/completions` (docs/api.md#chat-completions). */
export class ChatApi extends HttpApiGroup.make("chat")
  .add(create)
  .add(list)
  .add(find)
  .add(update)
  .add(remove)
  .add(messages)
  .addError(ModelNotFoundError)
  .annotate(Prefixes, ["/v1/chat"])
  .annotate(BodyLimit, 32 * 1024 * 1024)
  .annotate(RateHeaders, "openai")
  .annotateContext(
    OpenApi.annotations({
      title: "Chat completions",
      description: "OpenAI's older dialect, which most programs speak; stored where `store` is true."
    })
  ) {}
