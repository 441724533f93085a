import type { Protocol } from "../Protocol.ts"
import { batchEmbeddings, embeddingsAtVertex } from "./embeddings.ts"
import { listedAtVertex, modelIds, publisherModelIds } from "./modelIds.ts"
import { takesDocument } from "./media.ts"
import { isVertex, placedAt } from "./placed.ts"
import { lower } from "./request.ts"
import { isSignatureRefusal, unsigned } from "./signedParts.ts"
import type { GeminiState } from "./step.ts"
import { begin, end, frames, step } from "./step.ts"

const endpoint = {
  version: "",
  path: "/models",
  headers: (apiKey: string | undefined): Readonly<Record<string, string>> =>
    apiKey === undefined ? {} : { "x-goog-api-key": apiKey }
} as const

/** Google's own dialect at its API (`…/v1beta`). */
export const gemini: Protocol<GeminiState> = {
  endpoint: { ...endpoint, placed: placedAt(false) },
  embeddings: "/embeddings",
  embeds: batchEmbeddings,
  counts: "/countTokens",
  // By default a page has 50.
  models: "/models?pageSize=1000",
  modelIds,
  searches: true,
  carries: new Set(["audio"]),
  signsCalls: true,
  takesDocument,
  lower,
  unsigned: (body, refusal) => (isSignatureRefusal(refusal) ? unsigned(body) : undefined),
  begin,
  step,
  end,
  frames
}

/** The same at Vertex (`…/publishers/google`). */
const geminiAtVertex: Protocol<GeminiState> = {
  ...gemini,
  endpoint: { ...endpoint, placed: placedAt(true) },
  embeds: embeddingsAtVertex,
  listedAt: listedAtVertex,
  isListOfAll: true,
  modelIds: publisherModelIds
}

export const geminiAt = (baseUrl: string): Protocol<GeminiState> => (isVertex(baseUrl) ? geminiAtVertex : gemini)
