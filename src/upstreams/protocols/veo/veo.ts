import { Effect, Option } from "effect"
import type { JsonObject } from "../../../contract/fields.ts"
import { listAt, numberAt, objectAt, textAt } from "../../../contract/json/json.ts"
import type { Endpoint } from "../../Endpoint.ts"
import { videoApi } from "../../videos/videoApi.ts"
import type { VideoServices, VideoUpstreamOptions } from "../../videos/videoApi.ts"
import { cancelVideo, noVideo, pollReport, submittedId } from "../../videos/videoCalls.ts"
import { makeVideoFiles } from "../../videos/videoFiles.ts"
import type { VideoJob, VideoRejected, VideoReport, VideoUpstream } from "../../videos/VideoUpstream.ts"
import { makePictures } from "./pictures.ts"
import { boundsAt, fitAt, requestOf } from "./request.ts"

/** The key of Google's API; Vertex has credentials that end (`auth: google`), or a key too. */
export const googleEndpoint: Endpoint = {
  version: "",
  path: "/models",
  headers: (apiKey): Readonly<Record<string, string>> => (apiKey === undefined ? {} : { "x-goog-api-key": apiKey })
}

/** At Vertex, a finished video is inside the answer, in base64: it goes to its file as it comes. */
const fileBegins = /"bytesBase64Encoded"\s*:\s*"/
const read = {
  limit: 1024 * 1024,
  json: (text: string) => (fileBegins.test(text) ? { done: true, hasFile: true } : undefined)
}

/** Each part of a resource's name, or of a model's id with a publisher. */
const encoded = (name: string): string => name.split("/").map(encodeURIComponent).join("/")

/**
 * Google's Veo, at its API (`…/v1beta`, ai.google.dev/gemini-api/docs/video) and at Vertex (`…/publishers/google`). There is
 * no cancel, and no way to look for a create without an answer. A file is opened by the key alone, or is in the answer.
 */
export const veo = (options: VideoUpstreamOptions): Effect.Effect<VideoUpstream, never, VideoServices> => {
  const service = /\/publishers\/google\/?(?:\?|$)/.test(options.baseUrl) ? "vertex" : "gemini"
  const api = videoApi(googleEndpoint, options)

  /** An operation's name has its model in it. */
  const operation = (name: string) => {
    if (service === "gemini") return api.call("GET", `/${encoded(name)}`)
    return api.call("POST", ...asked(name), { read })
  }

  const asked = (name: string) => {
    const [, model = ""] = /\/models\/([^/]+)\/operations\//.exec(name) ?? []
    const body = JSON.stringify({ operationName: name })
    return [`/models/${encodeURIComponent(model)}:fetchPredictOperation`, body] as const
  }

  return Effect.map(Effect.all([makeVideoFiles(api), makePictures]), ([files, picturesOf]): VideoUpstream => {
    const submit = (job: VideoJob) =>
      Effect.flatMap(picturesOf(job.media), (pictures) =>
        submittedId(
          api.call(
            "POST",
            `/models/${encodeURIComponent(job.upstreamModel.replace(/^models\//, ""))}:predictLongRunning`,
            JSON.stringify(requestOf(service, job, pictures))
          ),
          (answer) => textAt(answer, "name")
        )
      )

    const poll = (name: string) =>
      Effect.flatMap(
        files.known(name),
        Option.match({
          onNone: () => pollReport(operation(name), (answer) => reportOf(name, answer)),
          onSome: (report) => Effect.succeed(report)
        })
      )

    const reportOf = (name: string, answer: JsonObject): VideoReport | Effect.Effect<VideoReport, VideoRejected> => {
      if (answer["done"] !== true) return { status: "running" }
      if (answer["hasFile"] === true) return files.finished(name, files.inAnswer(...asked(name), fileBegins))
      const error = objectAt(answer, "error")
      if (error !== undefined) return { status: "failed", error: errorOf(error) }
      const response = objectAt(answer, "response")
      const { filtered, uri } = videoIn(objectAt(response, "generateVideoResponse") ?? response)
      const [, file] = /\/files\/([\w-]+)/.exec(uri ?? "") ?? []
      if (file !== undefined) return files.finished(name, files.withKey(`/files/${file}:download?alt=media`))
      return filtered === undefined ? noVideo : { status: "failed", error: { code: sensitive, message: filtered } }
    }

    const cancel = (name: string) =>
      cancelVideo({ poll: operation(name), stateIn: ({ done }) => (done === true ? "succeeded" : "running") })

    return {
      name: options.name,
      isPassthrough: false,
      refusesAtOnce: true,
      bounds: boundsAt(service),
      fit: fitAt(service),
      submit,
      poll,
      cancel
    }
  })
}

/** The one video of a response, or the words of the filter that kept it back. */
const videoIn = (response: JsonObject | undefined) => {
  const [sample] = listAt(response, "generatedSamples")
  const reasons = listAt(response, "raiMediaFilteredReasons").filter((reason) => typeof reason === "string")
  return {
    uri: textAt(objectAt(sample, "video"), "uri"),
    filtered: reasons.length > 0 ? reasons.join(" ") : undefined
  }
}

/** Ark's code for it. */
const sensitive = "OutputVideoSensitiveContentDetected"

/** `google.rpc.Status`: 3 is an invalid argument. */
const errorOf = (error: JsonObject) => ({
  code: textAt(error, "status") ?? (numberAt(error, "code") === 3 ? "InvalidParameter" : "InternalServiceError"),
  message: textAt(error, "message") ?? "The upstream failed to make the video"
})
