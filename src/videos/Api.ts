import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { DeliveryRecord } from "../callbacks/DeliveryRecord.ts"
import { BodyLimit, Idempotent, Prefixes } from "../contract/annotations.ts"
import { answerField } from "../contract/fields.ts"
import { CreateVideoTask } from "./CreateVideoTask.ts"
import { VideosError } from "./Errors.ts"
import { ListVideoTasks, VideoTaskList } from "./ListVideoTasks.ts"
import { VideoTaskRecord } from "./VideoTaskRecord.ts"

const tasks = "/api/v3/contents/generations/tasks"

const TaskPath = Schema.Struct({ id: Schema.String.annotations({ description: "The task's id (`cgt-…`)." }) })

const VideoTaskCreated = Schema.Struct({
  id: Schema.String.annotations({ description: "Identifier of the created task." })
}).annotations({ identifier: "VideoTaskCreated" })

/** Asynchronous video generation, as Volcengine Ark speaks it (docs/api.md#video-tasks). */
export class VideosApi extends HttpApiGroup.make("videos")
  .add(
    HttpApiEndpoint.post("create", tasks)
      .setPayload(CreateVideoTask)
      .addSuccess(VideoTaskCreated)
      .annotate(Idempotent, true)
      .annotate(OpenApi.Summary, "Create a video task")
      .annotate(OpenApi.Description, "Returns the task's id at once. Poll `GET …/{id}`, or set `callback_url`.")
  )
  .add(
    HttpApiEndpoint.get("list", tasks)
      .setUrlParams(ListVideoTasks)
      .addSuccess(VideoTaskList)
      .annotate(OpenApi.Summary, "List the account's video tasks, newest first")
  )
  .add(
    HttpApiEndpoint.get("find", `${tasks}/:id`)
      .setPath(TaskPath)
      .addSuccess(VideoTaskRecord)
      .annotate(OpenApi.Summary, "Read a video task")
  )
  .add(
    HttpApiEndpoint.del("remove", `${tasks}/:id`)
      .setPath(TaskPath)
      .addSuccess(Schema.Struct({}))
      .annotate(OpenApi.Summary, "Cancel a queued video task, or remove an ended one")
      .annotate(OpenApi.Description, "A running task is refused with 409 `InvalidAction.RunningTaskDeletion`.")
  )
  .add(
    HttpApiEndpoint.get("deliveries", `${tasks}/:id/deliveries`)
      .setPath(TaskPath)
      .addSuccess(Schema.Struct({ items: answerField(Schema.Array(DeliveryRecord), "Callbacks, oldest first.") }))
      .annotate(OpenApi.Summary, "List a task's callbacks and their attempts")
  )
  .add(
    HttpApiEndpoint.post("redeliver", `${tasks}/:id/deliveries/:delivery/redeliver`)
      .setPath(
        Schema.Struct({
          id: answerField(Schema.String, "The task's id (`cgt-…`)."),
          delivery: answerField(Schema.String, "The delivery's id.")
        })
      )
      .addSuccess(DeliveryRecord)
      .annotate(OpenApi.Summary, "Send a callback again")
  )
  .addError(VideosError)
  .annotate(Prefixes, ["/api/v3"])
  .annotate(BodyLimit, 64 * 1024 * 1024)
  .annotate(OpenApi.Title, "Video tasks")
  .annotate(OpenApi.Description, "Asynchronous video generation: create a task, then poll it or set `callback_url`.") {}
