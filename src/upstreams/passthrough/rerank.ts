import type { JsonObject } from "../../contract/fields.ts"
import { countAt, isCount, isObject, listAt, numberAt, objectAt, textAt } from "../../contract/json/json.ts"
import { noUsage } from "../../generation/GenerationEvent.ts"
import type { Usage } from "../../generation/GenerationEvent.ts"
import { mostRerankUnits, rerankedTexts, rerankUnits } from "../../generation/reranking.ts"
import { countTexts } from "../../tokens/tokenizer.ts"
import type { WholeAnswer } from "./wholeAnswer.ts"

/** The tolerated excess of reported units over the most that a request can have. */
const factor = 4

/**
 * Results of a reranking. Cohere and LiteLLM report the units that they bill. Jina and vLLM report tokens, and the units
 * follow from the number of documents.
 */
export const rerank: WholeAnswer = {
  isAnswer: (answer, body) => {
    const { length } = documentsOf(body)
    return Array.isArray(answer["results"]) && answer["results"].every((one) => isResult(one, length))
  },
  usageOf: (answer, body) => {
    const usage = objectAt(answer, "usage")
    const billed = objectAt(objectAt(answer, "meta"), "billed_units")
    const inputTokens = firstCount([usage, "prompt_tokens"], [usage, "total_tokens"], [billed, "total_tokens"])
    const units = firstCount([billed, "search_units"], [usage, "search_units"])
    const isPlausible = units !== undefined && units <= factor * mostRerankUnits(queryOf(body), documentsOf(body))
    if (inputTokens === undefined && !isPlausible) return undefined
    return {
      ...noUsage,
      inputTokens: inputTokens ?? tokensIn(body),
      rerankUnits: isPlausible ? units : rerankUnits(documentsOf(body))
    }
  },
  countUsage: (body): Usage => ({
    ...noUsage,
    inputTokens: tokensIn(body),
    rerankUnits: rerankUnits(documentsOf(body))
  }),
  renderUsage: ({ inputTokens: tokens }) => ({ prompt_tokens: tokens, total_tokens: tokens })
}

const queryOf = (body: JsonObject): string => textAt(body, "query") ?? ""
const documentsOf = (body: JsonObject) => listAt(body, "documents")

const tokensIn = (body: JsonObject): number => countTexts(rerankedTexts(queryOf(body), documentsOf(body))).tokens

/** The first valid count. */
const firstCount = (
  ...places: ReadonlyArray<readonly [from: JsonObject | undefined, name: string]>
): number | undefined =>
  places.map(([from, name]) => countAt(from, name)).find((count) => count !== undefined && isCount(count))

const isResult = (one: unknown, documents: number): boolean => {
  const index = countAt(one, "index")
  return isObject(one) && index !== undefined && index < documents && numberAt(one, "relevance_score") !== undefined
}
