import { Context, Duration } from "effect"

/** The engine's settings for operators. */
export class TaskSettings extends Context.Reference<TaskSettings>()("gateway/tasks/TaskSettings", {
  defaultValue: () => ({
    /** How long ended tasks stay readable. */
    retention: Duration.days(7)
  })
}) {}

/** How long a worker may be silent before its tasks are given to others. */
export class LeaseTime extends Context.Reference<LeaseTime>()("gateway/tasks/LeaseTime", {
  defaultValue: () => Duration.seconds(30)
}) {}
