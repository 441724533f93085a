import type { Places } from "./Protocol.ts"

/** The endpoints that servers of OpenAI's dialects have beside either of them. */
export const openaiBeside = {
  embeddings: { path: "/embeddings" },
  images: { path: "/images/generations" },
  edits: { path: "/images/edits" },
  variations: { path: "/images/variations" },
  speech: { path: "/audio/speech" },
  transcriptions: { path: "/audio/transcriptions" },
  translations: { path: "/audio/translations" },
  moderations: { path: "/moderations" }
} as const satisfies Places
