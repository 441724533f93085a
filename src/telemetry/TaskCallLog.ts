import { Context } from "effect"
import type { TaskCall } from "../contract/records/TaskCall.ts"

/** Counts and stores the calls of tasks. A plain call that never waits and never fails. */
export interface TaskCallLog {
  readonly append: (call: TaskCall) => void
}

/** Counts nothing by default. */
export const TaskCallLog = Context.Reference<TaskCallLog>()("gateway/telemetry/TaskCallLog", {
  defaultValue: (): TaskCallLog => ({ append: () => {} })
})
