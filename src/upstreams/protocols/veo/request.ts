import type { JsonObject } from "../../../contract/fields.ts"
import { fitOf, oneOf, usualFates } from "../../videoFields.ts"
import type { FieldFates } from "../../videoFields.ts"
import type { VideoFit, VideoJob, VideoMedia, VideoRequest } from "../../VideoUpstream.ts"

/** Google's two services for Veo. */
export type Service = "gemini" | "vertex"

const everywhere: FieldFates = {
  ...usualFates,
  reference_video: "refused",
  reference_audio: "refused",
  watermark: "left out"
}

/** The fate of a task's fields at each service. */
export const fates: Readonly<Record<Service, FieldFates>> = {
  gemini: { ...everywhere, seed: "left out", generate_audio: "always" },
  vertex: everywhere
}

export const seconds = [4, 6, 8] as const
const ratios = ["16:9", "9:16"] as const

export const fitAt =
  (service: Service) =>
  (request: VideoRequest): VideoFit => {
    const { frames, isOpenLength, ratio } = request.settings
    const fit = fitOf(fates[service], request)
    if (fit.type === "refused") return fit
    return (
      oneOf("ratio", ratios, ratio) ??
      (isOpenLength === true ? undefined : oneOf("duration", seconds, frames / 24)) ??
      fit
    )
  }

/** An image as Veo takes it. */
export interface Picture {
  readonly bytesBase64Encoded: string
  readonly mimeType: string
}

/** @param pictures the job's inputs, in their order */
export const requestOf = (service: Service, job: VideoJob, pictures: ReadonlyArray<Picture>): JsonObject => {
  const { media, prompt, settings } = job
  const as = (role: VideoMedia["role"]) => pictures.filter((_, index) => media[index]?.role === role)
  const [image] = as("first_frame")
  const [lastFrame] = as("last_frame")
  const references = as("reference_image")
  return {
    instances: [
      {
        ...(prompt !== "" && { prompt }),
        ...(image !== undefined && { image }),
        ...(lastFrame !== undefined && { lastFrame }),
        ...(references.length > 0 && {
          referenceImages: references.map((reference) => ({ image: reference, referenceType: "asset" }))
        })
      }
    ],
    parameters: {
      aspectRatio: settings.ratio,
      durationSeconds: settings.frames / 24,
      resolution: settings.resolution,
      ...(service === "vertex" && { sampleCount: 1, generateAudio: settings.generateAudio, seed: settings.seed })
    }
  }
}
