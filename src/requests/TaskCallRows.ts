import { SqlClient } from "@effect/sql"
import { Effect, Layer } from "effect"
import type { TaskCall } from "../contract/records/TaskCall.ts"
import { Daemons } from "../flow/Daemons.ts"
import { SumNames } from "../ledger/SumNames.ts"
import { attemptMetrics } from "../routing/attemptMetrics.ts"
import { UpstreamCalls } from "../routing/UpstreamCalls.ts"
import { makeBatchWriter } from "../sql/BatchWriter.ts"
import { Commits } from "../sql/Commits.ts"
import { committing } from "../sql/Writes.ts"
import { Metrics } from "../telemetry/Metrics.ts"
import { TaskCallLog } from "../telemetry/TaskCallLog.ts"
import { taskCallWriter } from "./store/taskCallWriter.ts"

/** How long calls are gathered before a write, in ms, and the most of a write. */
const [lagMs, most] = [500, 256]
/** The most waiting calls, while the database is away or can't keep up. */
const capacity = 20_000

/**
 * Stores the calls of tasks, and counts those of video upstreams. Text upstreams' are counted where all their calls are
 * (`Attempts`).
 */
const make = Effect.gen(function* () {
  const metrics = yield* Metrics
  const dropped = metrics.requestRowsDropped.of()
  const { attempted } = attemptMetrics(metrics)
  const upstreams = yield* UpstreamCalls
  const write = taskCallWriter(yield* SqlClient.SqlClient, yield* SumNames)
  const writes = committing(yield* Commits, "soon", write)
  const rows = yield* makeBatchWriter<TaskCall>("task calls", most, writes, {
    lagMs,
    capacity,
    lost: () => dropped.add(1)
  })
  return {
    append: (call: TaskCall): void => {
      if (call.kind === "video" && call.outcome !== "unsent") {
        attempted(call.upstream, call, call.durationMs)
        upstreams.ofVideos(call.upstream).ended({ ...call, tookMs: call.durationMs }, Date.now())
      }
      rows.append(call)
    }
  }
})

export const TaskCallRowsLive = Layer.scoped(TaskCallLog, make).pipe(
  Layer.provide(Layer.mergeAll(Commits.Default, Daemons.Default, SumNames.Default, UpstreamCalls.Default))
)
