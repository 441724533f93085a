import { withoutSlash } from "./withoutSlash.ts"

/** Paths that protocols append to a base URL; protocols can use no others. */
const endpointPaths = [
  "/chat/completions",
  "/completions",
  "/responses",
  "/responses/compact",
  "/messages",
  "/messages/count_tokens",
  "/models/count-tokens:rawPredict",
  "/converse",
  "/count-tokens",
  "/countTokens",
  "/embeddings",
  "/rerank",
  "/moderations",
  "/images/generations",
  "/images/edits",
  "/images/variations",
  "/audio/speech",
  "/audio/transcriptions",
  "/audio/translations",
  "/models",
  "/models?pageSize=1000",
  "/videos",
  "/contents/generations/tasks",
  "/video_generation",
  "/services/aigc/video-generation/video-synthesis"
] as const
export type EndpointPath = (typeof endpointPaths)[number]

/** The operator's error message for an invalid base URL, otherwise undefined. */
export const wrongBaseUrl = (text: string): string | undefined => {
  const url = URL.parse(text)
  if (url === null || (url.protocol !== "http:" && url.protocol !== "https:")) {
    return "expected an http:// or https:// address"
  }
  if (url.hash !== "") return "expected an address without a fragment"
  const path = withoutSlash(url.pathname)
  const endpoint = endpointPaths.find((end) => path.endsWith(end))
  return endpoint === undefined
    ? undefined
    : `expected the address before the endpoint, which the protocol adds itself: leave "${endpoint}" out`
}
