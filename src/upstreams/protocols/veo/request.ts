import type { JsonObject } from "../../../contract/fields.ts"
import { fitOf, usualFates } from "../../videos/videoFields.ts"
import type { FieldFates } from "../../videos/videoFields.ts"
import type { SomeVideoBounds } from "../../videos/VideoBounds.ts"
import type { VideoFit, VideoJob, VideoMedia, VideoRequest } from "../../videos/VideoUpstream.ts"

/** Google's two services for Veo. */
export type Service = "gemini" | "vertex"

const everywhere: FieldFates = { ...usualFates, watermark: "left out" }

/** The bounds of Veo 3.1, for models without rows of their own (`catalogue/videos/veoModels.ts`). */
const bounds: SomeVideoBounds = {
  seconds: [4, 6, 8],
  references: { images: 3, videos: 0, audios: 0 },
  ratios: ["16:9", "9:16"],
  resolutions: ["720p", "1080p", "4k"],
  narrower: [
    { at: ["1080p", "4k"], seconds: [8] },
    { from: ["references"], seconds: [8] }
  ]
}

/** The bounds at each service. Google's API has no switch for sound. */
export const boundsAt = (service: Service): SomeVideoBounds =>
  service === "gemini" ? { ...bounds, sound: "always" } : bounds

/** The fate of a task's fields at each service. */
export const fates: Readonly<Record<Service, FieldFates>> = {
  gemini: { ...everywhere, seed: "left out" },
  vertex: everywhere
}

export const fitAt =
  (service: Service) =>
  (request: VideoRequest): VideoFit =>
    fitOf(fates[service], request)

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
