import { wholeFamily } from "../pipeline/wholeFamily.ts"
import { decode } from "./decode.ts"
import type { CreateEmbeddings } from "./Request.ts"
import { inFormat } from "./vectors.ts"

/** Embeddings for `Pipeline`: passthrough only, charged by input. */
export const embeddingsFamily = wholeFamily<CreateEmbeddings>({
  dialect: "embeddings",
  noUpstream: "model: none of this model's upstreams makes embeddings",
  decode,
  shape: inFormat
})
