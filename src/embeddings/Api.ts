import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "@effect/platform"
import { BodyLimit, Idempotent, Prefixes, RateHeaders } from "../contract/annotations.ts"
import { ModelNotFoundError } from "../contract/failures/codedErrors.ts"
import { CreateEmbeddings, EmbeddingList } from "./Request.ts"

const create = HttpApiEndpoint.post("create", "/v1/embeddings")
  .setPayload(CreateEmbeddings)
  .addSuccess(EmbeddingList)
  .annotate(Idempotent, true)
  .annotateContext(
    OpenApi.annotations({
      summary: "Create embeddings",
      description: "Returns a vector for each input, in order."
    })
  )

/** `/v1/embeddings` (docs/api.md#embeddings). */
export class EmbeddingsApi extends HttpApiGroup.make("embeddings")
  .add(create)
  .addError(ModelNotFoundError)
  .annotate(Prefixes, ["/v1/embeddings"])
  .annotate(BodyLimit, 32 * 1024 * 1024)
  .annotate(RateHeaders, "openai")
  .annotateContext(OpenApi.annotations({ title: "Embeddings", description: "Vectors of texts." })) {}
