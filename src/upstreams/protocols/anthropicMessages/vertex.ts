import type { EndpointPath } from "../../../config/baseUrl.ts"
import { bearer } from "../../Endpoint.ts"
import type { Placeable, Placed } from "../../Endpoint.ts"
import type { Protocol } from "../Protocol.ts"
import { bodyVersion } from "./bodyVersion.ts"
import type { MessagesState } from "./state.ts"

/** The version that Google documents. */
const usualVersion = "vertex-2023-10-16"

const counts = "/models/count-tokens:rawPredict"

/**
 * The protocol at Google's Vertex, behind `…/publishers/anthropic`: the model and the way of answering are in the
 * path, the version in the body. Source: `@anthropic-ai/vertex-sdk`.
 */
export const atVertex = (protocol: Protocol<MessagesState>): Protocol<MessagesState> => ({
  ...protocol,
  endpoint: { version: "", path: "/messages", headers: bearer, placed },
  counts
})

const placed = (request: Placeable, path: EndpointPath): Placed => {
  const { body } = request
  const { others, version } = bodyVersion(request, usualVersion)
  if (path === counts) return { path: counts, body: { anthropic_version: version, ...body }, headers: others }
  const { model, ...rest } = body
  const verb = body["stream"] === true ? "streamRawPredict" : "rawPredict"
  return {
    path: `/models/${encodeURIComponent(String(model)).replaceAll("%40", "@")}:${verb}`,
    body: { anthropic_version: version, ...rest },
    headers: others
  }
}
