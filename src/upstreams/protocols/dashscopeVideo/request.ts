import type { JsonObject } from "../../../contract/fields.ts"
import { fitOf, refusal } from "../../videoFields.ts"
import type { VideoFit, VideoJob, VideoMedia, VideoRequest, VideoSettings } from "../../VideoUpstream.ts"
import { fates, generationOf } from "./generations.ts"

/** Two to fifteen whole seconds. */
export const seconds = Array.from({ length: 14 }, (_, index) => 2 + index)

export const fit = (request: VideoRequest): VideoFit => {
  const fit = fitOf(fates[generationOf(request.upstreamModel)], request)
  const inBytes = request.media.find(({ kind, url }) => kind === "audio" && /^data:/i.test(url))
  return inBytes === undefined || fit.type === "refused"
    ? fit
    : refusal("content", `this model takes a ${inBytes.role} at an http(s) address alone, not as a data URI`)
}

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
      ...(["media", "oldText", "oldFrame"].includes(generation) && { audio: settings.generateAudio }),
      duration: lengthOf(settings),
      seed: settings.seed % (mostSeed + 1),
      watermark: settings.watermark
    }
  }
}

const inputsOf = ({ media, upstreamModel }: Pick<VideoJob, "media" | "upstreamModel">): JsonObject => {
  if (media.length === 0) return {}
  if (generationOf(upstreamModel) === "oldFrame") return { img_url: media[0]?.url }
  return { media: media.map(({ role, url }: VideoMedia) => ({ type: role, url })) }
}
