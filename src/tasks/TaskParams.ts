import { Schema } from "effect"
import { only, PageParams } from "../contract/paging.ts"
import { TimeQuery } from "../contract/timeQuery.ts"
import { TaskState } from "./Task.ts"

/** Which tasks a list is of. */
export const TaskParams = {
  kind: Schema.optional(Schema.Literal("message", "response", "video")).annotations({ description: "Only these." }),
  model: only("Only this model's."),
  state: Schema.optional(Schema.Array(TaskState)).annotations({
    description: "Only tasks in this state; repeat it for several."
  }),
  since: Schema.optional(TimeQuery).annotations({
    description: "Created since: a UTC day, a time, or how long ago. Default `7d`."
  }),
  ...PageParams
}
