import { listAt, textAt } from "../../../contract/json/json.ts"

/** The ids of the models that answer or embed, from Google's list; undefined if it is no list. */
export const modelIds = (answer: unknown): ReadonlyArray<string> | undefined => {
  const models = listAt(answer, "models")
  if (models.length === 0) return undefined
  return models.flatMap((model) => {
    const name = textAt(model, "name")
    const methods = listAt(model, "supportedGenerationMethods")
    const isServed = methods.length === 0 || methods.some((method) => served.has(method))
    return name === undefined || !isServed ? [] : [name.replace(/^models\//, "")]
  })
}

const served: ReadonlySet<unknown> = new Set(["generateContent", "embedContent", "batchEmbedContents"])

/**
 * Vertex' list of Google's models, the same for all projects and locations. It is there in one version of the interface.
 * Source: Google's SDK, and "publishers.models" in the reference.
 */
export const listedAtVertex = (baseUrl: string): ReadonlyArray<string> => [
  `${baseUrl.replace(/\/v1[a-z0-9]*\/(?:projects|publishers)\/.*$/s, "")}/v1beta1/publishers/google/models?pageSize=1000`
]

/** The ids of its models that answer or embed: it names no methods, and has models for images and videos too. */
export const publisherModelIds = (answer: unknown): ReadonlyArray<string> | undefined => {
  const models = listAt(answer, "publisherModels")
  if (models.length === 0) return undefined
  const ids = models.flatMap((model) => textAt(model, "name")?.replace(/^publishers\/\w+\/models\//, "") ?? [])
  return ids.filter((id) => /^(?:gemini|text-(?:multilingual-)?embedding)-/.test(id))
}
