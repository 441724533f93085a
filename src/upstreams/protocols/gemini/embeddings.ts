import type { JsonObject } from "../../../contract/fields.ts"
import { InvalidRequest } from "../../../contract/Failure.ts"
import { countAt, isObject, listAt, objectAt } from "../../../contract/json.ts"
import type { EmbeddingForm } from "../Protocol.ts"

/** The texts of a request. Google embeds neither token ids nor what only other servers understand. */
const textsOf = ({ input }: JsonObject): ReadonlyArray<string> | InvalidRequest => {
  const inputs: ReadonlyArray<unknown> = Array.isArray(input) ? input : [input]
  const texts = inputs.filter((one) => typeof one === "string")
  return texts.length === inputs.length
    ? texts
    : new InvalidRequest({
        param: "input",
        message: "input: expected texts: this model's upstream takes no token ids and no objects"
      })
}

const lowered =
  (
    write: (texts: ReadonlyArray<string>, model: string, dimensions: JsonObject[string]) => JsonObject
  ): EmbeddingForm["lower"] =>
  (request) => {
    const texts = textsOf(request)
    if (texts instanceof InvalidRequest) return texts
    const { dimensions, model } = request
    const carried = new Set(["model", "input", "dimensions", "encoding_format"])
    const adapted = Object.keys(request).filter((name) => !carried.has(name) && request[name] != null)
    return { body: { model, ...write(texts, String(model), dimensions ?? undefined) }, adapted }
  }

const raised = (vectors: ReadonlyArray<unknown>, tokens: number | undefined): JsonObject | undefined =>
  vectors.every(isVector)
    ? {
        object: "list",
        data: vectors.map((embedding, index) => ({ object: "embedding", index, embedding })),
        ...(tokens === undefined ? {} : { usage: { prompt_tokens: tokens, total_tokens: tokens } })
      }
    : undefined

const isVector = (values: unknown): values is ReadonlyArray<number> =>
  Array.isArray(values) && values.every((value) => typeof value === "number")

/** `batchEmbedContents` of Google's API. */
export const batchEmbeddings: EmbeddingForm = {
  lower: lowered((texts, model, outputDimensionality) => ({
    requests: texts.map((text) => ({
      model: `models/${model.replace(/^models\//, "")}`,
      content: { parts: [{ text }] },
      ...(outputDimensionality === undefined ? {} : { outputDimensionality })
    }))
  })),
  raise: (answer) =>
    raised(
      listAt(answer, "embeddings").map((one) => (isObject(one) ? one["values"] : undefined)),
      countAt(objectAt(answer, "usageMetadata"), "promptTokenCount")
    )
}

/** `predict` of Vertex, which tells the tokens of each input. */
export const predictedEmbeddings: EmbeddingForm = {
  lower: lowered((texts, _, outputDimensionality) => ({
    instances: texts.map((content) => ({ content })),
    ...(outputDimensionality === undefined ? {} : { parameters: { outputDimensionality } })
  })),
  raise: (answer) => {
    const all = listAt(answer, "predictions").map((one) => objectAt(one, "embeddings"))
    const tokens = all.map((one) => countAt(objectAt(one, "statistics"), "token_count"))
    return raised(
      all.map((one) => one?.["values"]),
      tokens.includes(undefined) ? undefined : tokens.reduce<number>((sum, count = 0) => sum + count, 0)
    )
  }
}
