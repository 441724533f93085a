import type { JsonObject } from "../../../contract/fields.ts"
import { InvalidRequest } from "../../../contract/failures/Failure.ts"
import { countAt, isObject, listAt, objectAt } from "../../../contract/json/json.ts"
import type { WholeForm } from "../Protocol.ts"

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
  ): WholeForm["lower"] =>
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
export const batchEmbeddings: WholeForm = {
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

/** Models that Vertex embeds with by `embedContent`, not by `predict`. Source: Google's SDK. */
export const isByEmbedContent = (model: string): boolean =>
  (model.includes("gemini") && model !== "gemini-embedding-001") || model.includes("maas")

/** `predict` of Vertex, and the `embedContent` of its newer models, which takes a single text. */
export const embeddingsAtVertex: WholeForm = {
  lower: (request) => {
    if (!isByEmbedContent(String(request["model"]))) return predict(request)
    const { input } = request
    return Array.isArray(input) && input.length > 1 && typeof input[0] === "string"
      ? new InvalidRequest({
          param: "input",
          message: "input: expected one text: this model's upstream takes one a request"
        })
      : embedContent(request)
  },
  raise: (answer) =>
    objectAt(answer, "embedding") === undefined
      ? predicted(answer)
      : raised(
          [objectAt(answer, "embedding")?.["values"]],
          countAt(objectAt(answer, "usageMetadata"), "promptTokenCount")
        )
}

const embedContent = lowered(([text = ""], _, outputDimensionality) => ({
  content: { parts: [{ text }] },
  ...(outputDimensionality === undefined ? {} : { embedContentConfig: { outputDimensionality } })
}))

const predict = lowered((texts, _, outputDimensionality) => ({
  instances: texts.map((content) => ({ content })),
  ...(outputDimensionality === undefined ? {} : { parameters: { outputDimensionality } })
}))

/** Each prediction tells the tokens of its input. */
const predicted: WholeForm["raise"] = (answer) => {
  const all = listAt(answer, "predictions").map((one) => objectAt(one, "embeddings"))
  const tokens = all.map((one) => countAt(objectAt(one, "statistics"), "token_count"))
  return raised(
    all.map((one) => one?.["values"]),
    tokens.includes(undefined) ? undefined : tokens.reduce<number>((sum, count = 0) => sum + count, 0)
  )
}
