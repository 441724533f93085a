import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { Prefixes, RateHeaders } from "../../contract/annotations.ts"
import { JsonObject, answerField } from "../../contract/fields.ts"
import { TasksError } from "./Errors.ts"

const TaskPath = Schema.Struct({
  id: Schema.String.pipe(Schema.pattern(/^task_[A-Za-z0-9_-]{8,64}$/)).annotations({
    description: "a task's id as an async message request returns it (`task_…`)"
  })
})

const optional = <A, I>(schema: Schema.Schema<A, I>) => Schema.optionalWith(schema, { exact: true })

/** An async message task as its owner reads it (docs/api.md#message-tasks). */
export const TaskRecord = Schema.Struct({
  id: Schema.String.annotations({ description: "Task id." }),
  object: Schema.Literal("task"),
  status: answerField(Schema.Literal("pending", "processing", "success", "failed"), "The last two are final."),
  result: optional(JsonObject).annotations({
    description: "The message, exactly as the synchronous request would have answered it. Present on `success`."
  }),
  error: optional(
    Schema.Struct({
      type: Schema.String.annotations({ description: "The error type of the synchronous request." }),
      code: answerField(Schema.String, "The same, for other clients."),
      message: answerField(Schema.String, "The error in words.")
    })
  ).annotations({ description: "Present on `failed`." }),
  created_at: Schema.Int.annotations({ description: "Unix time in seconds." }),
  completed_at: optional(Schema.Int.annotations({ description: "Unix time in seconds. Present once it ended." }))
}).annotations({ identifier: "MessageTask" })
export type TaskRecord = typeof TaskRecord.Type

/** `/v1/tasks` (docs/api.md#message-tasks). */
export class TasksApi extends HttpApiGroup.make("tasks")
  .add(
    HttpApiEndpoint.get("find", "/v1/tasks/:id")
      .setPath(TaskPath)
      .addSuccess(TaskRecord)
      .annotateContext(
        OpenApi.annotations({
          summary: "Read an async message task",
          description: "Only tasks of the account. By default they are readable for seven days after they ended."
        })
      )
  )
  .addError(TasksError)
  .annotate(Prefixes, ["/v1/tasks"])
  .annotate(RateHeaders, "anthropic")
  .annotateContext(OpenApi.annotations({ title: "Tasks", description: "Results of async message requests." })) {}
