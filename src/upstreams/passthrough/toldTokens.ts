import type { JsonObject } from "../../contract/fields.ts"
import { countAt, objectAt } from "../../contract/json/json.ts"
import type { Usage } from "../../generation/GenerationEvent.ts"
import { modalIn, some } from "../protocols/tokenParts.ts"

/** The tokens that an answer about sound tells; undefined if it tells none. */
export const toldTokens = (answer: JsonObject): Pick<Usage, "inputTokens" | "outputTokens"> | undefined => {
  const told = objectAt(answer, "usage")
  const [inputTokens, outputTokens] = [countAt(told, "input_tokens") ?? 0, countAt(told, "output_tokens") ?? 0]
  if (inputTokens + outputTokens === 0) return undefined
  const { audio = 0 } = modalIn(objectAt(told, "input_token_details"))
  return { inputTokens, outputTokens, ...some("audioInputTokens", Math.min(inputTokens, audio)) }
}
