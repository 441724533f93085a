import { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect, Layer } from "effect"
import type { RequestRecord } from "../contract/RequestRecord.ts"
import { daemon } from "../flow/daemon.ts"
import { Daemons } from "../flow/Daemons.ts"
import { backoff } from "../flow/schedules.ts"
import { Commits } from "../sql/Commits.ts"
import { isRefused } from "../sql/isRefused.ts"
import { runPlain } from "../sql/prepared.ts"
import { Metrics } from "../telemetry/Metrics.ts"
import { RequestLog } from "../telemetry/RequestLog.ts"
import { rowOf } from "./RequestRow.ts"
import type { RequestRow } from "./RequestRow.ts"
import { requestWriter } from "./store/requestWriter.ts"

/** How long rows gather, in ms: nobody waits for them. */
const lag = 100
/** How many are written at once: the one thread does nothing else for that millisecond, and a commit costs as ten rows do. */
const batch = 256
/** Records that wait at most, while the database takes none or can't keep up. */
const capacity = 20_000

/**
 * Keeps what became of each request, written behind the answers, many to a commit. What there is no room for is dropped
 * and counted: no request waits or fails for its row.
 */
const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const commits = yield* Commits
  const metrics = yield* Metrics
  const dropped = metrics.requestRowsDropped.of()
  const write = requestWriter(sql)
  const committed = sql.onDialectOrElse({ pg: () => commits.statementBehind, orElse: () => commits.writeBehind })
  let waiting: Array<RequestRecord> = []
  let wake: (() => void) | undefined

  const append = (record: RequestRecord): void => {
    if (waiting.length >= capacity) return dropped.add(1)
    waiting.push(record)
    wake?.()
  }

  /** Writes what waits without the fiber; false where it can't be. */
  const written = (): boolean => {
    const some = waiting.slice(0, batch)
    // Somebody else may have been quicker than the timer.
    if (some.length === 0) return true
    if (commits.writeNow?.(write(some.map(rowOf))) !== true) return false
    waiting = waiting.slice(some.length)
    return true
  }

  const somethingToWrite = Effect.async<void>((resume) => {
    const go = () => {
      // What can't be written in plain code is written by the fiber, which knows what to do with it.
      if (written()) return rest()
      resume(Effect.void)
    }
    let timer: ReturnType<typeof setTimeout> | undefined
    const soon = () => {
      wake = undefined
      timer = setTimeout(go, waiting.length >= batch ? 0 : lag)
    }
    const rest = () => {
      if (waiting.length > 0) soon()
      else wake = soon
    }
    rest()
    return Effect.sync(() => clearTimeout(timer))
  })

  /** One that the database refuses for good keeps none of the others from being written. */
  const each = (rows: ReadonlyArray<RequestRow>) =>
    Effect.forEach(
      rows,
      (row) =>
        Effect.catchIf(committed(runPlain(sql, write([row]))), isRefused, () => Effect.sync(() => dropped.add(1))),
      { discard: true }
    )

  const pass: Effect.Effect<void, SqlError> = Effect.suspend(() => {
    if (waiting.length === 0) return Effect.void
    const taken = waiting.splice(0, batch)
    const rows = taken.map(rowOf)
    return committed(runPlain(sql, write(rows))).pipe(
      Effect.catchIf(isRefused, () => each(rows)),
      Effect.onError(() =>
        Effect.sync(() => {
          const room = Math.max(0, capacity - waiting.length)
          dropped.add(Math.max(0, taken.length - room))
          waiting = [...taken.slice(0, room), ...waiting]
        })
      )
    )
  })
  yield* daemon("requests", Effect.as(Effect.uninterruptible(pass), somethingToWrite), backoff)

  const flush: Effect.Effect<void, SqlError> = Effect.suspend(() =>
    waiting.length === 0 ? Effect.void : Effect.zipRight(pass, flush)
  )
  // Runs before the fiber above ends.
  yield* Effect.addFinalizer(() => Effect.timeoutOption(Effect.ignore(flush), "2 seconds"))
  return { append }
})

/** The server's records become rows. */
export const RequestRowsLive = Layer.scoped(RequestLog, make).pipe(
  Layer.provide(Layer.merge(Commits.Default, Daemons.Default))
)
