import type { JsonObject } from "../../../contract/fields.ts"
import { isObject, listAt, numberAt, textAt } from "../../../contract/json/json.ts"
import type { GenerationEvent } from "../../../generation/GenerationEvent.ts"

/** Adds the log probabilities of a frame to its first text, in OpenAI's form. */
export const addLogprobs = (events: Array<GenerationEvent>, from: number, result: JsonObject | undefined): void => {
  if (result === undefined) return
  const likely = listAt(result, "topCandidates")
  const logprobs = listAt(result, "chosenCandidates").map((chosen, index) => ({
    ...tokenOf(chosen),
    top_logprobs: listAt(likely[index], "candidates").filter(isObject).map(tokenOf)
  }))
  const at = logprobs.length === 0 ? -1 : events.findIndex(({ type }, index) => index >= from && type === "text-delta")
  const text = events[at]
  if (text?.type === "text-delta") events[at] = { ...text, logprobs }
}

const tokenOf = (candidate: unknown) => {
  const token = textAt(candidate, "token") ?? ""
  return { token, logprob: numberAt(candidate, "logProbability") ?? 0, bytes: [...utf8.encode(token)] }
}

const utf8 = new TextEncoder()
