import { withoutSlash } from "./withoutSlash.ts"

/** What protocols put behind a base URL themselves: an endpoint that is not here is none that a protocol can have. */
const endpointPaths = [
  "/chat/completions",
  "/completions",
  "/responses",
  "/responses/compact",
  "/messages",
  "/messages/count_tokens",
  "/embeddings",
  "/models",
  "/videos",
  "/contents/generations/tasks"
] as const
export type EndpointPath = (typeof endpointPaths)[number]

/** Why a text is no base URL of an upstream, in words for the operator; undefined where it is one. */
export const wrongBaseUrl = (text: string): string | undefined => {
  const url = URL.parse(text)
  if (url === null || (url.protocol !== "http:" && url.protocol !== "https:")) {
    return "expected an http:// or https:// address"
  }
  if (url.search !== "" || url.hash !== "" || text.includes("?")) {
    return "expected an address without a query: what an upstream wants beside its key goes into headers"
  }
  const path = withoutSlash(url.pathname)
  const endpoint = endpointPaths.find((end) => path.endsWith(end))
  return endpoint === undefined
    ? undefined
    : `expected the address before the endpoint, which the protocol adds itself: leave "${endpoint}" out`
}
