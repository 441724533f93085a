import { countAt, isObject, listAt, objectAt } from "../../contract/json/json.ts"
import { noUsage } from "../../generation/GenerationEvent.ts"
import { moderatedTexts } from "../../generation/moderating.ts"
import { countTexts } from "../../tokens/tokenizer.ts"
import type { WholeAnswer } from "./wholeAnswer.ts"

/** Moderations. OpenAI reports no usage, Mistral that of its chat completions, and no `flagged`. */
export const moderations: WholeAnswer = {
  isAnswer: (answer, { input }) => {
    const results = listAt(answer, "results")
    // Parts are one input together at OpenAI, and one each at others.
    const areTexts = Array.isArray(input) && input.every((one) => typeof one === "string")
    return results.length > 0 && results.every(isResult) && (!areTexts || results.length === input.length)
  },
  usageOf: (answer) => {
    const usage = objectAt(answer, "usage")
    const inputTokens = countAt(usage, "prompt_tokens") ?? countAt(usage, "total_tokens")
    return inputTokens === undefined ? undefined : { ...noUsage, inputTokens }
  },
  countUsage: ({ input }) => ({ ...noUsage, inputTokens: countTexts(moderatedTexts(input)).tokens }),
  renderUsage: ({ inputTokens: tokens }) => ({ prompt_tokens: tokens, total_tokens: tokens })
}

const isResult = (one: unknown): boolean =>
  isObject(one) && objectAt(one, "categories") !== undefined && objectAt(one, "category_scores") !== undefined
