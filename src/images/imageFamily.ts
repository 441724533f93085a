import { InvalidRequest } from "../contract/failures/Failure.ts"
import type { JsonObject } from "../contract/fields.ts"
import { isObject, listAt, objectAt } from "../contract/json/json.ts"
import { wholeFamily } from "../pipeline/wholeFamily.ts"
import { imageKind } from "../contract/records/Served.ts"
import type { CreateImage } from "./Api.ts"

const mostPromptCharacters = 32_000
/** OpenAI's largest images at its highest quality have 6,240 tokens at older models, and up to twice as many at newer. */
const mostTokens = 16_384

/** Images for `Pipeline`: passthrough only, charged by the image or by tokens. */
export const imageFamily = wholeFamily<CreateImage>({
  dialect: "images",
  noUpstream: "model: none of this model's upstreams makes images",
  decode: ({ model, n, prompt, quality, size, user }) => {
    if (prompt.length > mostPromptCharacters) {
      const message = `prompt: expected at most ${mostPromptCharacters} characters; got ${prompt.length}`
      return new InvalidRequest({ param: "prompt", message })
    }
    const made = n ?? 1
    return {
      model,
      inputs: [{ type: "text", text: prompt }],
      maxOutputTokens: made * mostTokens,
      demands: () => [
        { of: "images", param: "prompt", value: "images", mostCalls: made, image: imageKind(quality, size) }
      ],
      ...(user && { endUser: user })
    }
  },
  streaming: { fields: ["partial_images"], write: (answer) => listAt(answer, "data").map(eventOf(answer)).join("") }
})

/** The event of a finished image. The usage is that of all images, and stands in the last one. */
const eventOf =
  (answer: JsonObject) =>
  (image: unknown, index: number, all: ReadonlyArray<unknown>): string => {
    const { background, created, output_format, quality, size } = answer
    const type = "image_generation.completed"
    const data = {
      type,
      ...(isObject(image) && image),
      created_at: created,
      background,
      output_format,
      quality,
      size,
      ...(index === all.length - 1 && { usage: objectAt(answer, "usage") })
    }
    return `event: ${type}\ndata: ${JSON.stringify(data)}\n\n`
  }
