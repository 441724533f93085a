import { Schema } from "effect"
import { only, PageParams } from "../contract/paging.ts"
import { TimeQuery } from "../contract/timeQuery.ts"
import { TaskState } from "./Task.ts"

/**
 * The state of a task's callbacks: `waiting` while one is being sent or more will come, `delivered` once the last was,
 * `given_up` if the last one failed for good.
 */
export const CallbackState = Schema.Literal("waiting", "delivered", "given_up")
export type CallbackState = typeof CallbackState.Type

/** `stuck`: a try has failed, and the callback waits for the next one or was given up. */
export const CallbackFilter = Schema.Literal(...CallbackState.literals, "stuck")
export type CallbackFilter = typeof CallbackFilter.Type

/** Query parameters that filter tasks. */
export const TaskParams = {
  kind: Schema.optional(Schema.Literal("message", "response", "video", "batch")).annotations({
    description: "Only rows that match."
  }),
  model: only("Only this model's."),
  state: Schema.optional(Schema.Array(TaskState)).annotations({
    description: "Only tasks in this state; repeat it for several."
  }),
  callback: Schema.optional(CallbackFilter).annotations({
    description:
      "Only tasks in this state of their callbacks; `stuck`: a try failed, and it waits for the next one or was given up."
  }),
  since: Schema.optional(TimeQuery).annotations({
    description: "Created since: a UTC day, a time, or how long ago. Default `7d`."
  }),
  ...PageParams
}
