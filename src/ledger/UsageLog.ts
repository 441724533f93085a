import { SqlClient } from "@effect/sql"
import { Effect, Exit } from "effect"
import { Internal } from "../contract/Failure.ts"
import { Commits } from "../sql/Commits.ts"
import { writeUsage } from "./Book.ts"
import type { UsageRow } from "./Book.ts"

/** How long rows that nobody waits for gather, in ms. */
const lag = 100
/** After a write has failed, in ms. */
const backoff = 1_000
/** Rows kept at most while the database takes none. */
const capacity = 100_000

interface Entry {
  readonly row: UsageRow
  /** Runs where the row could not be written; undefined: it is tried again until it can. */
  readonly lost: (() => void) | undefined
}

interface Batch {
  readonly entries: Array<Entry>
  readonly written: PromiseWithResolvers<void>
  /** Somebody waits: it is written at once. */
  urgent: boolean
}

const emptyBatch = (): Batch => {
  const written = Promise.withResolvers<void>()
  // Nobody need be listening when it fails.
  written.promise.catch(() => {})
  return { entries: [], written, urgent: false }
}

/** Appends usage rows in plain code; a fiber of its own writes them, many in one commit. */
export interface UsageLog {
  /** Written some time soon, whatever it takes. */
  readonly append: (row: UsageRow) => void
  /** Answers once the row is durable; where it can't be written it is forgotten, `lost` runs and the promise rejects. */
  readonly appendDurably: (row: UsageRow, lost: () => void) => Promise<void>
  /** Waits until all rows so far are written, or could not be. */
  readonly flush: Effect.Effect<void>
}

export const makeUsageLog = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const commits = yield* Commits
  let open = emptyBatch()
  let wake: (() => void) | undefined

  const add = (entry: Entry, urgent: boolean) => {
    open.entries.push(entry)
    if (urgent) open.urgent = true
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
      if (open.urgent) go()
      else if (open.entries.length > 0) timer ??= setTimeout(go, lag)
    }
    wake()
  })

  const write = Effect.suspend(() => {
    let batch: Batch | undefined
    return commits
      .write(
        Effect.suspend(() => {
          // Taken when the commit begins, so that whatever came in the meantime goes with it.
          batch = open
          open = emptyBatch()
          return writeUsage(
            sql,
            batch.entries.map((entry) => entry.row)
          )
        })
      )
      .pipe(
        Effect.exit,
        Effect.flatMap((exit) => {
          if (Exit.isSuccess(exit)) return Effect.sync(() => batch?.written.resolve())
          if (batch !== undefined) giveBack(batch)
          return Effect.zipRight(Effect.logError("usage rows can't be written", exit.cause), Effect.sleep(backoff))
        })
      )
  })

  const giveBack = (batch: Batch) => {
    for (const entry of batch.entries) entry.lost?.()
    open.entries.unshift(...batch.entries.filter((entry) => entry.lost === undefined).slice(-capacity))
    batch.written.reject(new Internal({ message: "Internal error: the usage could not be stored" }))
  }

  yield* somethingToWrite.pipe(
    Effect.zipRight(Effect.uninterruptible(write)),
    Effect.forever,
    Effect.annotateLogs({ fiber: "usage" }),
    Effect.forkScoped
  )

  const flush = Effect.suspend(() => {
    const batch = open
    batch.urgent = true
    wake?.()
    return Effect.promise(() => batch.written.promise.catch(() => {}))
  })
  // Runs before the fiber above ends.
  yield* Effect.addFinalizer(() => Effect.timeoutOption(flush, "5 seconds"))

  return {
    append: (row) => add({ row, lost: undefined }, false),
    appendDurably: (row, lost) => {
      add({ row, lost }, true)
      return open.written.promise
    },
    flush
  } satisfies UsageLog
})
