import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { BodyLimit, Family, Form, Idempotent, Prefixes } from "../../contract/annotations.ts"
import { CodedError } from "../../contract/failures/codedErrors.ts"
import { answerField } from "../../contract/fields.ts"
import { wholeNumber } from "../../contract/wholeNumber.ts"
import { openaiPageOf } from "../../contract/paging.ts"
import { CreateOpenAIVideo } from "./CreateOpenAIVideo.ts"
import { OpenAIVideo } from "./OpenAIVideo.ts"

const videos = "/v1/videos"

const VideoPath = Schema.Struct({ id: answerField(Schema.String, "The task's id (`cgt-…`).") })

const mebi = 1024 * 1024

/** Bytes of a JSON body: a data URI of 30 MB and more beside it. */
const jsonBytes = 64 * mebi

/** A video is the largest file. */
const formBounds = { parts: 64, fieldBytes: mebi, fileBytes: 100_000_000, bytes: 256 * mebi, seconds: 600 }

export const ListOpenAIVideos = Schema.Struct({
  after: Schema.optional(Schema.String).annotations({ description: "The `last_id` of the page before." }),
  limit: Schema.optional(wholeNumber(1, 100)).annotations({ description: "1 to 100, default 20." }),
  order: Schema.optional(Schema.Literal("asc", "desc")).annotations({
    description: "By time of creation: `desc` (the default) is newest first."
  })
})
export type ListOpenAIVideos = typeof ListOpenAIVideos.Type

const OpenAIVideoList = openaiPageOf(OpenAIVideo, "task", "The tasks of this page.").annotations({
  identifier: "OpenAIVideoList"
})

const VideoDeleted = Schema.Struct({
  id: answerField(Schema.String, "The task's id."),
  object: Schema.Literal("video.deleted"),
  deleted: answerField(Schema.Boolean, "False if the task was queued: it is cancelled, and its record stays.")
}).annotations({ identifier: "OpenAIVideoDeleted" })

/** OpenAI's videos over the same tasks as `VideosApi`, under the same ids (docs/api.md#videos-in-openais-shape). */
export class OpenAIVideosApi extends HttpApiGroup.make("openaiVideos")
  .add(
    HttpApiEndpoint.post("create", videos)
      .setPayload(CreateOpenAIVideo)
      .addSuccess(OpenAIVideo)
      .annotate(Idempotent, true)
      .annotate(Form, formBounds)
      .annotate(OpenApi.Summary, "Create a video")
      .annotate(
        OpenApi.Description,
        "Returns the queued task at once, in OpenAI's shape. Poll `GET …/{id}` until it is `completed`, then read `GET …/{id}/content`."
      )
  )
  .add(
    HttpApiEndpoint.get("list", videos)
      .setUrlParams(ListOpenAIVideos)
      .addSuccess(OpenAIVideoList)
      .annotate(OpenApi.Summary, "List the account's videos")
  )
  .add(
    HttpApiEndpoint.get("find", `${videos}/:id`)
      .setPath(VideoPath)
      .addSuccess(OpenAIVideo)
      .annotate(OpenApi.Summary, "Read a video's task")
  )
  .add(
    HttpApiEndpoint.del("remove", `${videos}/:id`)
      .setPath(VideoPath)
      .addSuccess(VideoDeleted)
      .annotate(OpenApi.Summary, "Cancel a queued video, or remove an ended one")
      .annotate(OpenApi.Description, "One in progress is refused with 409.")
  )
  .add(
    HttpApiEndpoint.get("content", `${videos}/:id/content`)
      .setPath(VideoPath)
      .setUrlParams(
        Schema.Struct({
          variant: Schema.optional(Schema.Literal("video", "thumbnail", "spritesheet")).annotations({
            description: "`video` is the default; the others are a 404."
          })
        })
      )
      .addSuccess(HttpApiSchema.Uint8Array({ contentType: "video/*" }))
      .annotate(OpenApi.Summary, "Read a completed video's file")
      .annotate(OpenApi.Description, "The whole file, or the part in the `range` header (206). Never a redirect.")
  )
  .add(
    HttpApiEndpoint.post("remix", `${videos}/:id/remix`)
      .setPath(VideoPath)
      .addSuccess(OpenAIVideo)
      .annotate(OpenApi.Summary, "Always a 404: there are no remixes")
  )
  .addError(CodedError)
  .annotate(Prefixes, [videos])
  .annotate(BodyLimit, jsonBytes)
  .annotate(Family, "videos")
  .annotate(OpenApi.Title, "Videos in OpenAI's shape")
  .annotate(
    OpenApi.Description,
    "The tasks of `/api/v3/contents/generations/tasks` as OpenAI's clients see them: one task, one id."
  ) {}
