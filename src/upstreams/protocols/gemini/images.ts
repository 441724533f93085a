import { InvalidRequest } from "../../../contract/failures/Failure.ts"
import type { JsonObject } from "../../../contract/fields.ts"
import { isObject, listAt, objectAt, textAt } from "../../../contract/json/json.ts"
import { inputOf } from "../../../contract/records/measures.ts"
import type { Usage } from "../../../generation/GenerationEvent.ts"
import { editPictures } from "../editPictures.ts"
import { fitSize, lostFields } from "../imageSize.ts"
import { takeNotes } from "../notes.ts"
import type { WholeForm } from "../Protocol.ts"
import { finishReasonOf } from "./finishReasons.ts"
import { fileIn, imagePart } from "./media.ts"
import { usageIn } from "./usage.ts"

/** True for a model that draws by `predict`. It edits nothing here. */
export const isImagen = (model: string): boolean => /imagen/i.test(model)

const carried = ["model", "prompt", "n", "size", "image", "images", "mask", "seed"]

/** `generateContent` of the models that write and draw, and `predict` of Imagen. */
export const geminiImages: WholeForm = {
  lower: (request) => (isImagen(String(request["model"])) ? predict(request) : generate(request)),
  raise: (answer) => ("predictions" in answer ? predicted(answer) : generated(answer))
}

const ratios = ["1:1", "2:3", "3:2", "3:4", "4:3", "4:5", "5:4", "9:16", "16:9", "21:9"]

/** Older models have one resolution, and refuse to be asked for it. */
const resolutionsOf = (model: string) => (/gemini-2/.test(model) ? [1] : [1, 2, 4])

const generate: WholeForm["lower"] = (request) => {
  const { model, n, prompt, seed } = request
  if (n !== undefined && n !== null && n !== 1) return refusal("n", "this model's upstream makes one image a request")
  const size = fitSize(request, { ratios, resolutions: resolutionsOf(String(model)) })
  if (size instanceof InvalidRequest) return size
  const pictures = editPictures(request)
  if (pictures instanceof InvalidRequest) return pictures
  const notes = takeNotes()
  const parts = pictures.flatMap(({ source }) => imagePart({ type: "image", source, detail: "auto" }, notes))
  const refused = notes.refused()
  if (refused !== undefined) return refused
  const imageConfig = size && {
    aspectRatio: size.ratio,
    ...(size.resolution > 1 && { imageSize: `${size.resolution}K` })
  }
  return {
    body: {
      model,
      contents: [{ role: "user", parts: [...parts, { text: prompt }] }],
      generationConfig: {
        // Vertex refuses images alone.
        responseModalities: ["TEXT", "IMAGE"],
        ...(imageConfig && { imageConfig }),
        ...(typeof seed === "number" && { seed })
      }
    },
    adapted: lost(request, size?.isExact !== false, new Set(["response_format=b64_json", "output_format=png"]))
  }
}

const imagenRatios = ["1:1", "3:4", "4:3", "9:16", "16:9"]
const mostSamples = 4
const formats: ReadonlyMap<unknown, string> = new Map([
  ["png", "image/png"],
  ["jpeg", "image/jpeg"]
])

const predict: WholeForm["lower"] = (request) => {
  const { model, n, output_compression, output_format, prompt } = request
  const sampleCount = typeof n === "number" ? n : 1
  if (sampleCount > mostSamples) return refusal("n", `expected at most ${mostSamples} at this model's upstream`)
  const isLarge = /imagen-[4-9]/.test(String(model)) && !/fast/.test(String(model))
  const size = fitSize(request, { ratios: imagenRatios, resolutions: isLarge ? [1, 2] : [1] })
  if (size instanceof InvalidRequest) return size
  const mimeType = formats.get(output_format)
  const compressionQuality = mimeType === "image/jpeg" && typeof output_compression === "number"
  const outputOptions = mimeType && {
    mimeType,
    ...(compressionQuality && { compressionQuality: output_compression })
  }
  const kept = new Set(["response_format=b64_json", ...(mimeType ? [`output_format=${String(output_format)}`] : [])])
  if (compressionQuality) kept.add(`output_compression=${output_compression}`)
  return {
    body: {
      model,
      instances: [{ prompt }],
      parameters: {
        sampleCount,
        ...(size && {
          aspectRatio: size.ratio,
          ...(size.resolution > 1 && { sampleImageSize: `${size.resolution}K` })
        }),
        ...(outputOptions && { outputOptions }),
        includeRaiReason: true
      }
    },
    adapted: [
      ...lost(request, size?.isExact !== false, kept),
      ...(request["seed"] === undefined || request["seed"] === null ? [] : ["seed"])
    ]
  }
}

/** @param kept `name=value` of fields that the upstream obeys for this value alone */
const lost = (request: JsonObject, isExact: boolean, kept: ReadonlySet<string>): ReadonlyArray<string> => [
  ...lostFields(request, new Set(carried)).filter((name) => !kept.has(`${name}=${String(request[name])}`)),
  ...(isExact ? [] : ["size"])
]

const refusal = (param: string, rule: string) => new InvalidRequest({ param, message: `${param}: ${rule}` })

/** A safety filter's refusal, as OpenAI tells it. */
const blocked = (reason: string): JsonObject => ({
  error: {
    code: "moderation_blocked",
    type: "image_generation_user_error",
    message: `The model's upstream refused to draw this: ${reason}`
  }
})

/** Images among thoughts are drafts. Of several that an answer has, the first was asked for. */
const generated: WholeForm["raise"] = (answer) => {
  const [candidate] = listAt(answer, "candidates")
  const [made] = listAt(objectAt(candidate, "content"), "parts").flatMap((part) => {
    const file = isObject(part) && part["thought"] !== true ? fileIn(part) : undefined
    return file?.isImage === true ? [file] : []
  })
  if (made === undefined) {
    const block = textAt(objectAt(answer, "promptFeedback"), "blockReason")
    const finish = textAt(candidate, "finishReason") ?? ""
    if (block === undefined && finishReasonOf(finish) !== "refusal") return undefined
    return blocked(block ?? finish)
  }
  const usage = usageIn(answer, 0)
  return {
    data: [{ b64_json: made.data }],
    output_format: made.mediaType.replace(/^image\//, ""),
    ...(usage?.served?.tier !== undefined && { service_tier: usage.served.tier }),
    ...(usage && { usage: renderedUsage(usage) })
  }
}

/** Usage as OpenAI tells it. Thoughts are text; the rest is the image's, unless the answer splits it. */
const renderedUsage = (usage: Usage): JsonObject => {
  const { imageInputTokens = 0, imageReadTokens = 0, outputTokens, reasoningTokens } = usage
  const input = inputOf(usage)
  const ofImages = usage.imageOutputTokens ?? outputTokens - reasoningTokens
  return {
    input_tokens: input,
    output_tokens: outputTokens,
    total_tokens: input + outputTokens,
    input_tokens_details: {
      image_tokens: imageInputTokens + imageReadTokens,
      text_tokens: input - imageInputTokens - imageReadTokens
    },
    cached_tokens_details: {
      cached_image_tokens: imageReadTokens,
      cached_text_tokens: usage.cacheReadTokens - imageReadTokens
    },
    output_tokens_details: { image_tokens: ofImages, text_tokens: outputTokens - ofImages }
  }
}

/** Filtered images are left out, and cost nothing. */
const predicted: WholeForm["raise"] = (answer) => {
  const all = listAt(answer, "predictions")
  const made = all.flatMap((one) => {
    const data = textAt(one, "bytesBase64Encoded") ?? ""
    return data === "" ? [] : [{ data, prompt: textAt(one, "prompt"), mimeType: textAt(one, "mimeType") }]
  })
  if (made.length === 0) {
    const reason = all.map((one) => textAt(one, "raiFilteredReason")).find((one) => one !== undefined)
    return reason === undefined ? undefined : blocked(reason)
  }
  return {
    data: made.map(({ data, prompt }) => ({ b64_json: data, ...(prompt !== undefined && { revised_prompt: prompt }) })),
    output_format: made[0]?.mimeType?.replace(/^image\//, "") ?? "png"
  }
}
