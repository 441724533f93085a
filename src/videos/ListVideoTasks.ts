import { Schema } from "effect"
import { answerField } from "../contract/fields.ts"
import { ListedVideoTask } from "./VideoTaskRecord.ts"
import { wholeNumber } from "../contract/wholeNumber.ts"

const page = (name: string, otherwise: number) =>
  Schema.optional(wholeNumber(1, 500)).annotations({ description: `${name}: 1 to 500, default ${otherwise}.` })

/** The six states, and the second names of two of them (docs/api.md#a-video-tasks-states). */
const StatusFilter = Schema.Literal(
  "queued",
  "running",
  "succeeded",
  "failed",
  "expired",
  "cancelled",
  "pending",
  "success"
)

/** The query of `GET …/contents/generations/tasks`. */
export const ListVideoTasks = Schema.Struct({
  page_num: page("Page number", 1),
  page_size: page("Tasks on a page", 10),
  "filter.status": Schema.optional(StatusFilter).annotations({
    description: "Only tasks in this state; `pending` means running, `success` means succeeded."
  }),
  "filter.task_ids": Schema.optional(Schema.Union(Schema.String, Schema.Array(Schema.String))).annotations({
    description: "Only these tasks; repeated, or separated by commas."
  }),
  "filter.model": Schema.optional(Schema.String).annotations({ description: "Only tasks of this model." }),
  "filter.service_tier": Schema.optional(Schema.String).annotations({ description: "Only tasks of this service tier." })
})
export type ListVideoTasks = typeof ListVideoTasks.Type

/** A page of tasks, newest first. `total` counts all pages. */
export const VideoTaskList = Schema.Struct({
  total: answerField(Schema.Int, "Tasks on every page together."),
  items: answerField(Schema.Array(ListedVideoTask), "The tasks of this page, newest first.")
}).annotations({
  identifier: "VideoTaskList"
})
