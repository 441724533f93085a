import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "@effect/platform"
import { BodyLimit, Idempotent, Prefixes, RateHeaders } from "../../contract/annotations.ts"
import { ModelNotFoundError } from "../../contract/failures/codedErrors.ts"
import { eventStream } from "../../contract/bodies/eventStream.ts"
import { CreateTextCompletion } from "./Request.ts"
import { TextCompletion } from "./TextCompletion.ts"

const create = HttpApiEndpoint.post("create", "/v1/completions")
  .setPayload(CreateTextCompletion)
  .addSuccess(TextCompletion)
  .annotate(Idempotent, true)
  .annotateContext(
    OpenApi.annotations({
      summary: "Complete a text",
      description:
        "Goes on with a text, or answers it by chat where the model's upstream has no such endpoint: with the " +
        "completion, or with a server-sent event stream when `stream` is true.",
      transform: (operation) => {
        operation.responses[200].content["text/event-stream"] = eventStream({
          description:
            "`text_completion` objects, each with a piece of `text`; the last one of an answer has its " +
            "`finish_reason`, and one without `choices` the usage if requested; then `[DONE]`.",
          data: "A chunk as JSON, or `[DONE]`."
        })
        return operation
      }
    })
  )

/** `/v1/completions` (docs/api.md#completions). */
export class CompletionsApi extends HttpApiGroup.make("completions")
  .add(create)
  .addError(ModelNotFoundError)
  .annotate(Prefixes, ["/v1/completions"])
  .annotate(BodyLimit, 32 * 1024 * 1024)
  .annotate(RateHeaders, "openai")
  .annotateContext(OpenApi.annotations({ title: "Completions", description: "OpenAI's oldest dialect." })) {}
