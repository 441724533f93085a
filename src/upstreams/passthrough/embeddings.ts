import { countAt, isObject, listAt, objectAt } from "../../contract/json/json.ts"
import { noUsage } from "../../generation/GenerationEvent.ts"
import type { WholeAnswer } from "./wholeAnswer.ts"

/** Embeddings. Only the input has tokens. */
export const embeddings: WholeAnswer = {
  isAnswer: (answer, { input }) => {
    const data = listAt(answer, "data")
    return data.length === inputsOf(input) && data.every(hasVector)
  },
  usageOf: (answer) => {
    const usage = objectAt(answer, "usage")
    const inputTokens = countAt(usage, "prompt_tokens") ?? countAt(usage, "total_tokens")
    return inputTokens === undefined ? undefined : { ...noUsage, inputTokens }
  },
  renderUsage: ({ inputTokens: tokens }) => ({ prompt_tokens: tokens, total_tokens: tokens })
}

/** An input is a text or an array of token ids. */
const inputsOf = (input: unknown): number => (Array.isArray(input) && typeof input[0] !== "number" ? input.length : 1)

const hasVector = (one: unknown): boolean =>
  isObject(one) && (Array.isArray(one["embedding"]) || typeof one["embedding"] === "string")
