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

/** How long rows gather before a write, in ms. */
const lag = 100
/** Rows per write: blocks the thread for about 1 ms; a commit costs as much as ten rows. */
const batch = 256
/** The most waiting records, while the database is away or can't keep up. */
const capacity = 20_000

/** Stores request records after the answers, in batches. Records beyond the capacity are dropped and counted. */
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

  /** Writes waiting records synchronously, without the fiber; false if that is not possible. */
  const written = (): boolean => {
    const some = waiting.slice(0, batch)
    // A flush may have been faster than the timer.
    if (some.length === 0) return true
    if (commits.writeNow?.(write(some.map(rowOf))) !== true) return false
    waiting = waiting.slice(some.length)
    return true
  }

  const somethingToWrite = Effect.async<void>((resume) => {
    const go = () => {
      // If a synchronous write fails, the fiber writes and handles errors.
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

  /** Writes rows one by one, so that one rejected row does not block the others. */
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
  // Finalizers run in reverse order: this one before the daemon is stopped.
  yield* Effect.addFinalizer(() => Effect.timeoutOption(Effect.ignore(flush), "2 seconds"))
  return { append }
})

/** Stores the server's request records as rows. */
export const RequestRowsLive = Layer.scoped(RequestLog, make).pipe(
  Layer.provide(Layer.merge(Commits.Default, Daemons.Default))
)
