import { UploadedFile } from "../contract/bodies/UploadedFile.ts"
import { InvalidRequest } from "../contract/failures/Failure.ts"
import type { JsonObject } from "../contract/fields.ts"
import { wholeFamily } from "../pipeline/wholeFamily.ts"
import { mostPictures, usualVariation } from "./EditApi.ts"
import type { EditImage, Picture, VaryImage } from "./EditApi.ts"
import { created, drawn, eventsOf, longPrompt } from "./imageFamily.ts"

/** OpenAI's tokens of a picture that is read with high fidelity: at most 6,240 beside those of its tiles. */
const pictureTokens = 8_192
const bytesPerToken = 4

/** Edits for `Pipeline`: as images, and the pictures are read too. */
export const editFamily = wholeFamily<EditImage>({
  dialect: "edits",
  noUpstream: "model: none of this model's upstreams edits images",
  typed: (body) => typed(body, ["n", "partial_images", "stream"]),
  decode: (request) => {
    const { image, images, mask } = request
    const given = [...picturesIn("image", image), ...picturesIn("images", images)]
    if (given.length === 0) return refusal("image", "required, or `images` in JSON")
    if (given.length > mostPictures) return refusal("image", `expected at most ${mostPictures} images`)
    const all = [...given, ...picturesIn("mask", mask)]
    return wrongPicture(all) ?? longPrompt(request) ?? { ...drawn(request), ...read(all.length) }
  },
  shape: created,
  streaming: { fields: ["partial_images"], write: eventsOf("image_edit.completed") }
})

/** Variations for `Pipeline`: the image alone is read. */
export const variationFamily = wholeFamily<VaryImage>({
  dialect: "variations",
  noUpstream: "model: none of this model's upstreams varies images",
  typed: (body) => typed(body, ["n"]),
  shape: created,
  decode: (request) =>
    wrongPicture(picturesIn("image", request.image)) ?? {
      ...drawn({ ...request, model: request.model ?? usualVariation }),
      ...read(1)
    }
})

const read = (pictures: number) => ({ unknownBytes: pictures * pictureTokens * bytesPerToken })

interface Named {
  readonly param: string
  readonly picture: Picture
}

const picturesIn = (
  field: string,
  value: Picture | ReadonlyArray<Picture> | null | undefined
): ReadonlyArray<Named> => {
  if (value === null || value === undefined) return []
  const isList = Array.isArray(value)
  return [value].flat().map((picture, index) => ({ param: isList ? `${field}[${index}]` : field, picture }))
}

/** The objection to a picture without bytes. The account's own files are in the place of their ids already. */
const wrongPicture = (pictures: ReadonlyArray<Named>): InvalidRequest | undefined => {
  for (const { param, picture } of pictures) {
    if (picture instanceof UploadedFile && picture.bytes === 0) return refusal(param, "the file is empty")
    if (picture === "") return refusal(param, "expected a file or an address")
    if (picture instanceof UploadedFile || typeof picture === "string") continue
    if (picture.file_id) return refusal(`${param}.file_id`, "expected the id of an image among the account's files")
    if (!picture.image_url) return refusal(`${param}.image_url`, "required")
  }
  return undefined
}

const refusal = (param: string, rule: string) => new InvalidRequest({ param, message: `${param}: ${rule}` })

/** The numbers and booleans that a form has as texts. */
const typed = (body: JsonObject, names: ReadonlyArray<string>): JsonObject => {
  const texts = names.flatMap((name) => {
    const value = body[name]
    if (typeof value !== "string") return []
    return [[name, name === "stream" ? value === "true" : Number(value)] as const]
  })
  return texts.length === 0 ? body : { ...body, ...Object.fromEntries(texts) }
}
