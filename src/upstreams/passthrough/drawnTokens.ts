import { noUsage } from "../../generation/GenerationEvent.ts"
import type { Usage } from "../../generation/GenerationEvent.ts"

/** OpenAI's tokens of an image that it makes, by quality: square, upright and wide. */
const tokens: ReadonlyMap<string | undefined, ReadonlyArray<number>> = new Map([
  ["low", [272, 408, 400]],
  ["medium", [1_056, 1_584, 1_568]]
])
const ofHigh: ReadonlyArray<number> = [4_160, 6_240, 6_208]
const sizes = ["1024x1024", "1024x1536", "1536x1024"]

/**
 * The usage of images whose tokens are not told. One of unknown quality or size counts as the largest that it may be.
 *
 * @param ofPictures the part of `inputTokens` that is of pictures
 */
export const drawnTokens = ({ images = 0, served }: Usage, inputTokens: number, ofPictures: number): Usage => {
  const [quality, size = ""] = served?.image?.split("/") ?? []
  const ofQuality = tokens.get(quality) ?? ofHigh
  const output = images * (ofQuality[sizes.indexOf(size)] ?? Math.max(...ofQuality))
  return {
    ...noUsage,
    inputTokens,
    ...(ofPictures > 0 && { imageInputTokens: ofPictures }),
    outputTokens: output,
    imageOutputTokens: output,
    images,
    ...(served && { served })
  }
}
