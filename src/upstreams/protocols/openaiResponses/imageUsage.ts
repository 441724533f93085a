import type { JsonObject } from "../../../contract/fields.ts"
import { besides } from "../../../generation/addUsage.ts"
import { usualImageModel } from "../../../generation/hostedTools.ts"
import { noUsage } from "../../../generation/GenerationEvent.ts"
import type { Usage } from "../../../generation/GenerationEvent.ts"
import { countAt, listAt, objectAt, textAt } from "../../../contract/json/json.ts"
import { modalIn, outputParts, some } from "../tokenParts.ts"

/** The image tool's usage, at its own model's price; nothing if it made none. */
export const imageUsage = (response: unknown): Pick<Usage, "besides"> => {
  const counts = imageCounts(objectAt(objectAt(response, "tool_usage"), "image_gen"))
  if (counts === undefined) return {}
  const tool = listAt(response, "tools").find((one) => textAt(one, "type") === "image_generation")
  return besides([{ ...counts, model: textAt(tool, "model") ?? usualImageModel, tool: "image_generation" }])
}

/** The tokens of made images, as OpenAI tells them; undefined if it tells none. */
export const imageCounts = (told: JsonObject | undefined): Usage | undefined => {
  const [input, output] = [countAt(told, "input_tokens") ?? 0, countAt(told, "output_tokens") ?? 0]
  if (input + output === 0) return undefined
  const cachedDetails = objectAt(told, "cached_tokens_details")
  const inDetail =
    (countAt(cachedDetails, "cached_image_tokens") ?? 0) + (countAt(cachedDetails, "cached_text_tokens") ?? 0)
  const cached = Math.min(input, countAt(told, "cached_tokens") ?? inDetail)
  const images = Math.min(input, countAt(objectAt(told, "input_tokens_details"), "image_tokens") ?? 0)
  const imagesRead = Math.min(images, cached, countAt(cachedDetails, "cached_image_tokens") ?? 0)
  return {
    ...noUsage,
    inputTokens: input - cached,
    cacheReadTokens: cached,
    outputTokens: output,
    ...some("imageInputTokens", images - imagesRead),
    ...some("imageReadTokens", imagesRead),
    ...outputParts(modalIn(objectAt(told, "output_tokens_details")))
  }
}
