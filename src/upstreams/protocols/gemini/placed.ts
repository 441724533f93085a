import type { EndpointPath } from "../../../config/baseUrl.ts"
import type { Placeable, Placed } from "../../Endpoint.ts"
import { isByEmbedContent } from "./embeddings.ts"

/** The path of a model's method. Listings write `models/` in front of a model's id. */
const methodPath = (model: string, method: string): string =>
  `/models/${encodeURIComponent(model.replace(/^models\//, "")).replaceAll("%40", "@")}:${method}`

/** The fields that Vertex counts. Others it refuses. */
const countedAtVertex = ({ contents, generationConfig, systemInstruction, tools }: Placeable["body"]) => ({
  contents,
  ...(systemInstruction === undefined ? {} : { systemInstruction }),
  ...(tools === undefined ? {} : { tools }),
  ...(generationConfig === undefined ? {} : { generationConfig })
})

/** True for the base URL of Google's models at Vertex. */
export const isVertex = (baseUrl: string): boolean => /\/publishers\/[\w-]+\/?(?:\?|$)/.test(baseUrl)

/** A request whose path names the model and the method. */
export const placedAt =
  (vertex: boolean) =>
  ({ body, headers }: Placeable, path: EndpointPath): Placed => {
    const { model, stream, ...rest } = body
    const at = (method: string, body: Placeable["body"] = rest): Placed => ({
      path: methodPath(String(model), method),
      body,
      headers
    })
    switch (path) {
      case "/embeddings":
        if (!vertex) return at("batchEmbedContents")
        return at(isByEmbedContent(String(model)) ? "embedContent" : "predict")
      case "/countTokens":
        // Google's API counts system text and tools only within a whole request.
        return vertex
          ? at("countTokens", countedAtVertex(rest))
          : at("countTokens", { generateContentRequest: { model: `models/${String(model)}`, ...rest } })
      default:
        return at(stream === true ? "streamGenerateContent?alt=sse" : "generateContent")
    }
  }
