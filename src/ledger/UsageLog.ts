import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import type { Cause } from "effect"
import { Internal } from "../contract/Failure.ts"
import { Commits } from "../sql/Commits.ts"
import { writeUsage } from "./Book.ts"
import type { UsageRow } from "./Book.ts"

/** How long rows that nobody waits for gather, in ms. */
const lag = 20
/** How many of them are written at once: the one thread does nothing else meanwhile, for about a millisecond. */
const rowsBehind = 128
/** After a write has failed, in ms. */
const backoff = 1_000
/** Rows kept at most while the database takes none. */
const capacity = 100_000

interface Entry {
  readonly row: UsageRow
  /** Runs where the row could not be written; undefined: it is tried again until it can. */
  readonly lost: (() => void) | undefined
}

/** Rows that share a commit, and who waits for it. */
interface Batch {
  readonly entries: Array<Entry>
  readonly written: PromiseWithResolvers<void>
}

const emptyBatch = (): Batch => {
  const written = Promise.withResolvers<void>()
  // Nobody need be listening when it fails.
  written.promise.catch(() => {})
  return { entries: [], written }
}

/** Appends usage rows in plain code; a fiber of its own writes them, many in one commit. */
export interface UsageLog {
  /** Written a moment later, whatever it takes; what costs something is written as soon as can be. */
  readonly append: (row: UsageRow) => void
  /** Answers once the row is durable; where it can't be written it is forgotten, `lost` runs and the promise rejects. */
  readonly appendDurably: (row: UsageRow, lost: () => void) => Promise<void>
  /** Waits until all rows so far are written, or could not be. */
  readonly flush: Effect.Effect<void>
}

export const makeUsageLog = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const commits = yield* Commits
  /** What must be durable, and so waits for an fsync. */
  let open = emptyBatch()
  /** What need not. */
  let behind: Array<UsageRow> = []
  let wake: (() => void) | undefined

  const add = (entry: Entry) => {
    open.entries.push(entry)
    wake?.()
  }

  const somethingToWrite = Effect.async<void>((resume) => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const go = () => {
      wake = undefined
      clearTimeout(timer)
      resume(Effect.void)
    }
    wake = () => {
      if (open.entries.length > 0 || behind.length >= rowsBehind) go()
      else if (behind.length > 0) timer ??= setTimeout(go, lag)
    }
    wake()
  })

  // Both take their rows when the commit begins, so that whatever came in the meantime goes with it.
  const writeDurably = Effect.suspend(() => {
    let batch = emptyBatch()
    const write = commits.write(
      Effect.suspend(() => {
        batch = open
        open = emptyBatch()
        return writeUsage(
          sql,
          batch.entries.map((entry) => entry.row)
        )
      })
    )
    return Effect.matchCauseEffect(write, {
      onSuccess: () => Effect.sync(() => batch.written.resolve()),
      onFailure: (cause) =>
        Effect.zipRight(
          Effect.sync(() => giveBack(batch)),
          failed(cause)
        )
    })
  })

  const giveBack = (batch: Batch) => {
    for (const entry of batch.entries) entry.lost?.()
    open.entries.unshift(...batch.entries.filter((entry) => entry.lost === undefined).slice(-capacity))
    batch.written.reject(new Internal({ message: "Internal error: the usage could not be stored" }))
  }

  const writeBehind = Effect.suspend(() => {
    let rows: ReadonlyArray<UsageRow> = []
    const write = commits.writeBehind(
      Effect.suspend(() => {
        rows = behind.splice(0, rowsBehind)
        return writeUsage(sql, rows)
      })
    )
    return Effect.catchAllCause(write, (cause) => {
      behind = [...rows, ...behind].slice(-capacity)
      return failed(cause)
    })
  })

  const failed = (cause: Cause.Cause<unknown>) =>
    Effect.zipRight(Effect.logError("usage rows can't be written", cause), Effect.sleep(backoff))

  yield* somethingToWrite.pipe(
    Effect.zipRight(
      Effect.uninterruptible(Effect.suspend(() => (open.entries.length > 0 ? writeDurably : writeBehind)))
    ),
    Effect.forever,
    Effect.annotateLogs({ fiber: "usage" }),
    Effect.forkScoped
  )

  const flush = Effect.suspend(() => {
    for (const row of behind.splice(0)) open.entries.push({ row, lost: undefined })
    const { promise } = open.written
    // What is being written now may not be yet.
    if (open.entries.length === 0) return Effect.ignore(commits.write(Effect.void))
    wake?.()
    return Effect.promise(() => promise.catch(() => {}))
  })
  // Runs before the fiber above ends.
  yield* Effect.addFinalizer(() => Effect.timeoutOption(flush, "5 seconds"))

  return {
    append: (row) => {
      if (row.costNanoUsd > 0) return add({ row, lost: undefined })
      behind.push(row)
      wake?.()
    },
    appendDurably: (row, lost) => {
      add({ row, lost })
      return open.written.promise
    },
    flush
  } satisfies UsageLog
})
