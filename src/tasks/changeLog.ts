import { Effect, Runtime } from "effect"
import { writtenContext } from "../contract/records/Trace.ts"
import { Logging } from "../telemetry/Logging.ts"
import { Metrics } from "../telemetry/Metrics.ts"
import { lifeOf } from "../telemetry/tracing/taskSpans.ts"
import type { Task } from "./Task.ts"

/** Counts and logs changes of tasks. */
export const makeChangeLog = Effect.gen(function* () {
  const run = Runtime.runFork(yield* Effect.runtime())
  const { level } = yield* Logging
  const metrics = yield* Metrics

  /**
   * Counts a committed change of state. Failed and expired tasks are logged (`task.changed`); other changes are logged
   * at `debug`.
   */
  const tell = (task: Task): void => {
    const { account, createdAtMs, endedAtMs, error, id, key, kind, model, state, upstream } = task
    const life = lifeOf(task)
    metrics.tasks.of(kind, state).add(1)
    const isFailure = state === "failed" || state === "expired"
    if (!isFailure && level !== "debug") return
    const line = {
      event: "task.changed",
      task: id,
      kind,
      account,
      key,
      model,
      state,
      ...(life === undefined ? {} : { traceparent: writtenContext(life) }),
      ...(upstream === null ? {} : { upstream }),
      ...(error === null ? {} : { error: error.code, reason: error.message }),
      ...(endedAtMs === null ? {} : { duration_ms: endedAtMs - createdAtMs })
    }
    const told = isFailure ? Effect.logWarning(`a task ${how[state]}`) : Effect.logDebug(`a task is ${state}`)
    run(Effect.annotateLogs(told, line))
  }

  /** Counts tasks that were ended because their rows, and so their kinds, can't be read. */
  const unreadable = (tasks: number): void => metrics.tasks.of("", "unreadable").add(tasks)
  return { tell, unreadable } as const
})

const how = { failed: "has failed", expired: "ran out of time" }
