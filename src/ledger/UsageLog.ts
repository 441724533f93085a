import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import type { Cause } from "effect"
import { Internal } from "../contract/Failure.ts"
import { Commits } from "../sql/Commits.ts"
import { usageWriter } from "./Book.ts"
import type { UsageRow } from "./Book.ts"

/** How long rows that nobody waits for gather, in ms. */
const lag = 20
/** The longest a row that somebody waits for waits for others to join its commit, in ms. */
const longestPause = 2
/** Of rows that nobody waits for, how many are written at once: the one thread does nothing else for that millisecond. */
const rowsBehind = 512
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
  /**
   * Answers once the row is stored, so that the death of the process does not undo it; a power cut may for 20 ms more,
   * for the disk is slower than all the rest of a short request. Where it can't be written it is forgotten, `lost` runs
   * and the promise rejects.
   */
  readonly appendAwaited: (row: UsageRow, lost: () => void) => Promise<void>
  /** Waits until all rows so far are written, or could not be. */
  readonly flush: Effect.Effect<void>
}

/** @param mayFollow whether a request is under way that will wait for its row too */
export const makeUsageLog = Effect.fnUntraced(function* (mayFollow: () => boolean) {
  const sql = yield* SqlClient.SqlClient
  const commits = yield* Commits
  const writeUsage = usageWriter(sql)
  /** What somebody waits for, or what costs something. */
  let open = emptyBatch()
  /** What can wait. */
  let behind: Array<UsageRow> = []
  let wake: (() => void) | undefined
  /**
   * Before this the next awaited commit begins only where nobody could join it: a busy gateway spends a tenth of its
   * time on commits at most, and an idle one keeps nobody waiting.
   */
  let notBefore = 0

  const add = (entry: Entry) => {
    open.entries.push(entry)
    wake?.()
  }

  const somethingToWrite = Effect.async<void>((resume) => {
    let timer: ReturnType<typeof setTimeout> | undefined
    let due = Infinity
    const go = () => {
      wake = undefined
      clearTimeout(timer)
      resume(Effect.void)
    }
    wake = () => {
      const pause = open.entries.length === 0 ? Infinity : mayFollow() ? notBefore - performance.now() : 0
      if (pause <= 0 || behind.length >= rowsBehind) return go()
      if (pause < Infinity) wait(pause)
      else if (behind.length > 0) wait(lag)
    }
    const wait = (ms: number) => {
      const until = performance.now() + ms
      if (until >= due) return
      clearTimeout(timer)
      due = until
      timer = setTimeout(go, ms)
    }
    wake()
  })

  // Both take their rows when the commit begins, so that whatever came in the meantime goes with it.
  const writeAwaited = Effect.suspend(() => {
    let batch = emptyBatch()
    const began = performance.now()
    const write = commits.writeBehind(
      Effect.suspend(() => {
        batch = open
        open = emptyBatch()
        return writeUsage(batch.entries.map((entry) => entry.row))
      })
    )
    return Effect.matchCauseEffect(write, {
      onSuccess: () =>
        Effect.sync(() => {
          const now = performance.now()
          notBefore = now + Math.min(longestPause, 9 * (now - began))
          batch.written.resolve()
        }),
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
        return writeUsage(rows)
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
      Effect.uninterruptible(Effect.suspend(() => (open.entries.length > 0 ? writeAwaited : writeBehind)))
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
    appendAwaited: (row, lost) => {
      add({ row, lost })
      return open.written.promise
    },
    flush
  } satisfies UsageLog
})
