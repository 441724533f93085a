import { listAt, textAt } from "../../../contract/json.ts"

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
