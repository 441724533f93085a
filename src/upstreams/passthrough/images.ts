import type { JsonObject } from "../../contract/fields.ts"
import { imageKind } from "../../contract/records/Served.ts"
import { inputOf } from "../../contract/records/measures.ts"
import { countAt, listAt, objectAt, textAt } from "../../contract/json/json.ts"
import { noUsage } from "../../generation/GenerationEvent.ts"
import { imageCounts } from "../protocols/openaiResponses/imageUsage.ts"
import { countText } from "../../tokens/tokens.ts"
import { drawnTokens } from "./drawnTokens.ts"
import type { WholeAnswer } from "./wholeAnswer.ts"

/**
 * Made images. OpenAI's models report tokens, which are those of images unless it says otherwise; others report nothing:
 * they are priced by the image, or by the tokens of OpenAI's images.
 */
export const images: WholeAnswer = {
  isAnswer: (answer, body) => {
    const { length } = listAt(answer, "data")
    return length > 0 && length <= (countAt(body, "n") ?? 1) && listAt(answer, "data").every(hasImage)
  },
  usageOf: (answer, body) => {
    const usage = objectAt(answer, "usage")
    const counts = imageCounts(usage)
    const told = (field: string) => textAt(answer, field) ?? textAt(body, field)
    const tier = textAt(answer, "service_tier")
    const served = { image: imageKind(told("quality"), told("size")), ...(tier !== undefined && { tier }) }
    const made = { images: listAt(answer, "data").length, served }
    if (counts === undefined) return { ...noUsage, ...made }
    const isSplit = objectAt(usage, "output_tokens_details") !== undefined
    return { ...counts, ...(!isSplit && { imageOutputTokens: counts.outputTokens }), ...made }
  },
  withTokens: (usage, body, inputTokens) => {
    const hasPictures = body["image"] !== undefined || body["images"] !== undefined
    const ofPictures = hasPictures ? Math.max(0, inputTokens - countText(textAt(body, "prompt") ?? "")) : 0
    return drawnTokens(usage, inputTokens, ofPictures)
  },
  renderUsage: (usage): JsonObject => {
    const input = inputOf(usage)
    return { input_tokens: input, output_tokens: usage.outputTokens, total_tokens: input + usage.outputTokens }
  }
}

const hasImage = (one: unknown): boolean =>
  [textAt(one, "b64_json"), textAt(one, "url")].some((text) => text !== undefined && text !== "")
