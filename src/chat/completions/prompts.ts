import { InvalidRequest } from "../../contract/failures/Failure.ts"
import type { CreateTextCompletion } from "./Request.ts"

/** A prompt of a request. */
export interface Prompt {
  /** For tokens, a text that has as many. */
  readonly text: string
  /** True if it came as tokens. */
  readonly isTokens: boolean
}

const mostPrompts = 2_048
/** Of the tokens of a prompt, so many are counted: no model's window is longer. */
const mostTokens = 4_000_000

/** The prompts of a request, or the first mistake in them. */
export const promptsOf = ({ prompt }: CreateTextCompletion): ReadonlyArray<Prompt> | InvalidRequest => {
  if (typeof prompt === "string") return [ofText(prompt)]
  // A model begins by itself.
  if (prompt === undefined || prompt === null) return [ofText("")]
  if (prompt.length === 0) return refusalOf("expected at least one prompt")
  if (prompt.every((one) => typeof one === "number")) return [ofTokens(prompt.length)]
  if (prompt.length > mostPrompts) return refusalOf(`expected at most ${mostPrompts} prompts`)
  const prompts: Array<Prompt> = []
  for (const one of prompt) {
    if (typeof one === "number") return refusalOf("expected all prompts to be texts, or arrays of tokens")
    prompts.push(typeof one === "string" ? ofText(one) : ofTokens(one.length))
  }
  return prompts
}

/** The prompt with the most text, for bounds that hold for each. */
export const longestOf = (prompts: ReadonlyArray<Prompt>): string =>
  prompts.reduce((longest, { text }) => (text.length > longest.length ? text : longest), "")

const ofText = (text: string): Prompt => ({ text, isTokens: false })
const ofTokens = (count: number): Prompt => ({ text: " a".repeat(Math.min(count, mostTokens)), isTokens: true })

const refusalOf = (rule: string) => new InvalidRequest({ param: "prompt", message: `prompt: ${rule}` })
