import type { EndpointPath } from "../../../config/baseUrl.ts"
import type { Placeable, Placed } from "../../Endpoint.ts"
import { isObject, listAt } from "../../../contract/json/json.ts"
import { isByEmbedContent } from "./embeddings.ts"
import { traitsOf } from "./models.ts"

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
      case "/images/generations":
      case "/images/edits":
        return at("instances" in rest ? "predict" : "generateContent")
      case "/countTokens":
        // Google's API counts system text and tools only within a whole request.
        return vertex
          ? at("countTokens", countedAtVertex(rest))
          : at("countTokens", { generateContentRequest: { model: `models/${String(model)}`, ...rest } })
      default:
        if (vertex && !traitsOf(String(model)).signs) return at(methodOf(stream), withoutCallIds(rest))
        return at(methodOf(stream))
    }
  }

const methodOf = (stream: unknown): string => (stream === true ? "streamGenerateContent?alt=sse" : "generateContent")

/** Older models at Vertex refuse the ids of calls and results, which stand in order. */
const withoutCallIds = (body: Placeable["body"]): Placeable["body"] => ({
  ...body,
  contents: listAt(body, "contents").map((content) =>
    isObject(content) ? { ...content, parts: listAt(content, "parts").map(withoutCallId) } : content
  )
})

const withoutCallId = (part: unknown): unknown => {
  if (!isObject(part)) return part
  for (const name of ["functionCall", "functionResponse"]) {
    const inner = part[name]
    if (!isObject(inner)) continue
    const { id: _, ...rest } = inner
    return { ...part, [name]: rest }
  }
  return part
}
