import { Effect } from "effect"
import { handlers } from "../contract/handlers.ts"
import { EmbeddingsApi } from "./Api.ts"
import { Embeddings } from "./Embeddings.ts"

export const EmbeddingsHandlers = handlers(
  EmbeddingsApi,
  Effect.map(Embeddings, (embeddings) => ({
    create: ({ caller, payload, request }) => embeddings.create(caller, payload, request)
  }))
)
