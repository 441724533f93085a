import type { SqlError } from "@effect/sql/SqlError"
import { Effect, Exit } from "effect"
import { daemon } from "../flow/daemon.ts"
import { everySecond } from "../flow/schedules.ts"
import { Internal } from "../contract/Failure.ts"
import { isRefused } from "../sql/isRefused.ts"
import { Metrics } from "../telemetry/Metrics.ts"
import type { InDoubt } from "./InDoubt.ts"
import type { KeepsBooks } from "./KeepsBooks.ts"
import type { UsageRow } from "./store/usageRows.ts"

/** How long rows that nobody waits for gather, in ms. */
const lag = 20
/**
 * The longest a row that somebody waits for waits for others to join its commit, in ms: by what a commit costs, which is
 * a trip of a millisecond and more where the database is a server.
 */
const longestPause = { here: 2.5, server: 5 } as const
/** From so many rows a commit on so many come that the next ones are waited for longer: half of what a row costs is its commit. */
const many = 4
/** Of rows that nobody waits for, how many are written at once: the one thread does nothing else for that millisecond. */
const rowsBehind = 512
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
  isStored: boolean
}

const emptyBatch = (): Batch => {
  const written = Promise.withResolvers<void>()
  // Nobody need be listening when it fails.
  written.promise.catch(() => {})
  return { entries: [], written, isStored: false }
}

/** Appends usage rows in plain code; a fiber of its own writes them, many in one commit. */
export interface UsageLog {
  /** Written a moment later, whatever it takes; what costs something is written as soon as can be. */
  readonly append: (row: UsageRow) => void
  /**
   * Answers once the row is stored, so that the death of the process does not undo it; a power cut may for 20 ms more,
   * for the disk is slower than all the rest of a short request. Where it can't be written it is forgotten, `lost` runs
   * and the promise rejects. Undefined where it is stored already.
   */
  readonly appendAwaited: (row: UsageRow, lost: () => void) => Promise<void> | undefined
  /** Waits until all rows so far are written, or could not be. */
  readonly flush: Effect.Effect<void>
}

/** @param mayFollow whether a request is under way that will wait for its row too */
export const makeUsageLog = Effect.fnUntraced(function* (
  { unsettle, write, writeNow }: Pick<KeepsBooks, "unsettle" | "write" | "writeNow">,
  mayFollow: () => boolean
) {
  const refused = (yield* Metrics).usageRefused.of()
  /** What somebody waits for, or what costs something. */
  let open = emptyBatch()
  /** What can wait. */
  let behind: Array<UsageRow> = []
  let wake: (() => void) | undefined
  /**
   * Before this the next awaited commit begins only where nobody could join it: a busy gateway spends a tenth of its
   * time on commits at most, a very busy one less, and an idle one keeps nobody waiting.
   */
  let notBefore = 0
  /** Of the last rows nobody knows whether they are stored. */
  let isInDoubt = false

  const longest = writeNow === undefined ? longestPause.server : longestPause.here

  const add = (entry: Entry) => {
    open.entries.push(entry)
    wake?.()
  }

  /** Writes what waits without the fiber; false where it can't be, and nothing has changed. */
  const writtenNow = (): boolean => {
    if (writeNow === undefined || isInDoubt) return false
    const began = performance.now()
    const batch = open
    if (batch.entries.length > 0) {
      if (!writeNow(batch.entries.map(({ row }) => row))) return false
      open = emptyBatch()
      pauseAfter(began, batch)
      batch.isStored = true
      batch.written.resolve()
      return true
    }
    const some = behind.slice(0, rowsBehind)
    // Somebody else may have been quicker than the timer.
    if (some.length === 0) return true
    if (!writeNow(some)) return false
    behind = behind.slice(some.length)
    return true
  }

  const pauseAfter = (began: number, { entries }: Batch): void => {
    const now = performance.now()
    notBefore = now + Math.min(longest, (entries.length < many ? 9 : 30) * (now - began))
  }

  const somethingToWrite = Effect.async<void>((resume) => {
    let timer: ReturnType<typeof setTimeout> | undefined
    let due = Infinity
    const go = () => {
      clearTimeout(timer)
      due = Infinity
      // What can't be written in plain code is written by the fiber, which knows what to do with it.
      if (writtenNow()) return wake?.()
      wake = undefined
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

  /** @param instead what becomes of the rows where they turn out not to be stored */
  const writing = (take: () => ReadonlyArray<UsageRow>, instead: () => void) =>
    Effect.tapErrorTag(
      write(take, (isStored) => {
        isInDoubt = false
        if (!isStored) instead()
      }),
      "InDoubt",
      () => Effect.sync(() => void (isInDoubt = true))
    )

  /**
   * Writes rows one by one: one that the database refuses for good must not keep its neighbours, or itself, waiting. Those
   * that are left are of the batch still.
   */
  const writeEach = (batch: Batch) =>
    Effect.whileLoop({
      while: () => batch.entries.length > 0,
      body: () => {
        const some = batch.entries.splice(0, 1)
        return writing(
          () => some.map(({ row }) => row),
          () => giveBack(some)
        ).pipe(
          Effect.catchTag("SqlError", (error) => {
            if (isRefused(error)) return Effect.forEach(some, (entry) => setAside(entry, error), { discard: true })
            batch.entries.unshift(...some)
            return Effect.fail(error)
          })
        )
      },
      step: () => {}
    })

  const setAside = (entry: Entry, error: SqlError) =>
    Effect.suspend(() => {
      forget(entry)
      refused.add(1)
      return Effect.annotateLogs(Effect.logError("the database refuses a usage row; it is set aside", error), {
        event: "usage.refused",
        request_id: entry.row.requestId,
        account: entry.row.account
      })
    })

  const forget = ({ lost, row }: Entry) => {
    if (lost !== undefined) return lost()
    if (row.held !== undefined) unsettle(row, row.held, row.costNanoUsd, row.atMs)
  }

  const take = (): Batch => {
    const taken = open
    open = emptyBatch()
    return taken
  }

  // Both take their rows when the commit begins, so that whatever came in the meantime goes with it: once, however often
  // the commit is tried. Where it can't even begin, those who wait are told all the same.
  const writeAwaited = Effect.suspend(() => {
    let batch: Batch | undefined
    let doubted: ReadonlyArray<Entry> = []
    const begin = (): Batch => (batch ??= take())
    const began = performance.now()
    const written = writing(
      () => begin().entries.map((entry) => entry.row),
      () => giveBack(doubted)
    ).pipe(
      // Nothing is given back before that is known; those who wait are told at once.
      Effect.tapErrorTag("InDoubt", () =>
        Effect.sync(() => {
          doubted = begin().entries
          batch = { ...begin(), entries: [] }
        })
      ),
      Effect.catchTag("SqlError", (error) => (isRefused(error) ? writeEach(begin()) : Effect.fail(error)))
    )
    return Effect.onExit(written, (exit) =>
      Effect.sync(() => {
        if (Exit.isFailure(exit)) {
          giveBack(begin().entries)
          return begin().written.reject(new Internal({ message: "Internal error: the usage could not be stored" }))
        }
        pauseAfter(began, begin())
        begin().written.resolve()
      })
    )
  })

  const giveBack = (entries: ReadonlyArray<Entry>) => {
    for (const entry of entries) entry.lost?.()
    open.entries.unshift(...entries.filter((entry) => entry.lost === undefined).slice(-capacity))
  }

  const writeBehind = Effect.suspend(() => {
    let rows: ReadonlyArray<UsageRow> | undefined
    const again = () => {
      behind = [...(rows ?? []), ...behind].slice(-capacity)
    }
    const written = writing(() => (rows ??= behind.splice(0, rowsBehind)), again).pipe(
      Effect.catchTag("SqlError", (error) => {
        if (!isRefused(error)) {
          again()
          return Effect.fail(error)
        }
        const each: Batch = { ...emptyBatch(), entries: (rows ?? []).map((row) => ({ row, lost: undefined })) }
        return Effect.tapError(writeEach(each), () => Effect.sync(() => giveBack(each.entries)))
      })
    )
    return written
  })

  const pass = Effect.suspend((): Effect.Effect<void, SqlError | InDoubt> => {
    if (open.entries.length > 0 || isInDoubt) return writeAwaited
    return behind.length > 0 ? writeBehind : Effect.void
  })
  const alone = yield* Effect.makeSemaphore(1)
  yield* daemon("usage", Effect.as(Effect.uninterruptible(alone.withPermits(1)(pass)), somethingToWrite), everySecond)

  const flush = Effect.suspend(() => {
    for (const row of behind.splice(0)) open.entries.push({ row, lost: undefined })
    const { promise } = open.written
    // What is being written now may not be yet.
    if (open.entries.length === 0 && !isInDoubt) return alone.withPermits(1)(Effect.void)
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
      const batch = open
      add({ row, lost })
      return batch.isStored ? undefined : batch.written.promise
    },
    flush
  } satisfies UsageLog
})
