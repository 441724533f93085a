import type { Protocol } from "../Protocol.ts"
import { geminiDefaults } from "../servedDefaults.ts"
import { batchEmbeddings, embeddingsAtVertex } from "./embeddings.ts"
import { geminiImages, isImagen } from "./images.ts"
import { listedAtVertex, modelIds, publisherModelIds } from "./modelIds.ts"
import { takesDocument } from "./media.ts"
import { isVertex, placedAt } from "./placed.ts"
import { fates } from "./fates.ts"
import { lower, lowerAtVertex } from "./request.ts"
import { isSignatureRefusal, withoutSignatures } from "./signedParts.ts"
import type { GeminiState } from "./step.ts"
import { begin, end, frames, step } from "./step.ts"

const endpoint = {
  version: "",
  path: "/models",
  headers: (apiKey: string | undefined): Readonly<Record<string, string>> =>
    apiKey === undefined ? {} : { "x-goog-api-key": apiKey }
} as const

const drawing = {
  images: { path: "/images/generations", form: geminiImages },
  edits: { path: "/images/edits", form: geminiImages, serves: (model: string) => !isImagen(model) }
} as const

/** Google's own dialect at its API (`…/v1beta`). */
export const gemini: Protocol<GeminiState> = {
  endpoint: { ...endpoint, placed: placedAt(false) },
  beside: { embeddings: { path: "/embeddings", form: batchEmbeddings }, ...drawing },
  counts: "/countTokens",
  // By default a page has 50.
  models: "/models?pageSize=1000",
  modelIds,
  searches: true,
  fates,
  signsCalls: true,
  tierHeader: "x-gemini-service-tier",
  takesDocument,
  lower,
  withDefaults: geminiDefaults,
  unsigned: (body, refusal) => (isSignatureRefusal(refusal) ? withoutSignatures(body) : undefined),
  begin,
  step,
  end,
  frames
}

/** The same at Vertex (`…/publishers/google`). */
const geminiAtVertex: Protocol<GeminiState> = {
  ...gemini,
  endpoint: { ...endpoint, placed: placedAt(true) },
  lower: lowerAtVertex,
  beside: { embeddings: { path: "/embeddings", form: embeddingsAtVertex }, ...drawing },
  listedAt: listedAtVertex,
  isListOfAll: true,
  modelIds: publisherModelIds
}

export const geminiAt = (baseUrl: string): Protocol<GeminiState> => (isVertex(baseUrl) ? geminiAtVertex : gemini)
