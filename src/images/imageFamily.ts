import { InvalidRequest } from "../contract/failures/Failure.ts"
import type { JsonObject } from "../contract/fields.ts"
import { isObject, listAt, objectAt } from "../contract/json/json.ts"
import type { InputsAlone } from "../generation/inputsAlone.ts"
import { wholeFamily } from "../pipeline/wholeFamily.ts"
import { imageKind } from "../contract/records/Served.ts"
import type { CreateImage } from "./Api.ts"

const mostPromptCharacters = 32_000
/** OpenAI's largest images at its highest quality have 6,240 tokens at older models, and up to twice as many at newer. */
const mostTokens = 16_384

/** The objection to a prompt that is too long. */
export const longPrompt = ({ prompt }: Pick<CreateImage, "prompt">): InvalidRequest | undefined => {
  if (prompt.length <= mostPromptCharacters) return undefined
  const message = `prompt: expected at most ${mostPromptCharacters} characters; got ${prompt.length}`
  return new InvalidRequest({ param: "prompt", message })
}

interface Drawing extends Partial<Pick<CreateImage, "prompt" | "quality" | "size" | "user">> {
  readonly model: string
  readonly n?: string | number | null | undefined
}

/** The most of a request: its text, and each image that it asks for. */
export const drawn = ({ model, n, prompt = "", quality, size, user }: Drawing) => {
  const made = Number(n ?? 1)
  return {
    model,
    inputs: [{ type: "text", text: prompt }],
    maxOutputTokens: made * mostTokens,
    demands: () => [
      { of: "images", param: "prompt", value: "images", mostCalls: made, image: imageKind(quality, size) }
    ],
    ...(user && { endUser: user })
  } satisfies InputsAlone
}

/** Clients expect the time, which not every upstream tells. */
export const created = (answer: JsonObject): JsonObject => ({ created: Math.floor(Date.now() / 1_000), ...answer })

/** Writes an answer as events of this type. The usage is that of all images, and stands in the last one. */
export const eventsOf =
  (type: string) =>
  (answer: JsonObject): string => {
    const { background, created, output_format, quality, size } = answer
    const events = listAt(answer, "data").map((image, index, all) => {
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
    })
    return events.join("")
  }

/** Images for `Pipeline`: passthrough only, charged by the image or by tokens. */
export const imageFamily = wholeFamily<CreateImage>({
  dialect: "images",
  noUpstream: "model: none of this model's upstreams makes images",
  decode: (request) => longPrompt(request) ?? drawn(request),
  shape: created,
  streaming: { fields: ["partial_images"], write: eventsOf("image_generation.completed") }
})
