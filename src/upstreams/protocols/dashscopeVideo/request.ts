import type { JsonObject } from "../../../contract/fields.ts"
import { fitOf, refusal } from "../../videos/videoFields.ts"
import type { VideoFit, VideoJob, VideoMedia, VideoRequest, VideoSettings } from "../../videos/VideoUpstream.ts"
import { fates, generationOf } from "./generations.ts"
import type { Generation } from "./generations.ts"

/** Two to fifteen whole seconds. */
export const seconds = Array.from({ length: 14 }, (_, index) => 2 + index)

export const fit = (request: VideoRequest): VideoFit => {
  const fit = fitOf(fates[generationOf(request.upstreamModel)], request)
  const inBytes = request.media.find(({ kind, url }) => kind === "audio" && /^data:/i.test(url))
  return inBytes === undefined || fit.type === "refused"
    ? fit
    : refusal("content", `this model takes a ${inBytes.role} at an http(s) address alone, not as a data URI`)
}

/** Wan 2.1 and 2.2 are silent, and know no `audio`. */
const hasSwitch = (generation: Generation, model: string): boolean =>
  ["media", "oldText", "oldFrame"].includes(generation) && !/(?:^|\/)wanx?2\.[12]/i.test(model)

const lengthOf = (settings: VideoSettings): number => settings.frames / 24

/** DashScope's largest seed; ours has one bit more. */
const mostSeed = 2 ** 31 - 1

export const requestOf = (job: VideoJob): JsonObject => {
  const { prompt, settings, upstreamModel } = job
  const generation = generationOf(upstreamModel)
  return {
    model: upstreamModel,
    input: { ...(prompt !== "" && { prompt }), ...inputsOf(job) },
    parameters: {
      ...(generation === "oldText"
        ? { size: `${settings.width}*${settings.height}` }
        : { resolution: settings.resolution.toUpperCase() }),
      ...(["media", "text", "references"].includes(generation) && {
        ratio: settings.ratio === "3:3" ? "3:4" : settings.ratio
      }),
      ...(hasSwitch(generation, upstreamModel) && { audio: settings.generateAudio }),
      duration: lengthOf(settings),
      seed: settings.seed % (mostSeed + 1),
      watermark: settings.watermark
    }
  }
}

const inputsOf = ({ media, upstreamModel }: Pick<VideoJob, "media" | "upstreamModel">): JsonObject => {
  if (media.length === 0) return {}
  const urlOf = (role: VideoMedia["role"]) => media.find((one) => one.role === role)?.url
  switch (generationOf(upstreamModel)) {
    case "oldFrame":
      return { img_url: urlOf("first_frame") }
    case "oldFrames":
      return { first_frame_url: urlOf("first_frame"), last_frame_url: urlOf("last_frame") }
    default:
  }
  return { media: media.map(({ role, url }: VideoMedia) => ({ type: role, url })) }
}
