import type { SqlError } from "@effect/sql/SqlError"
import { Effect, Exit } from "effect"
import { daemon } from "../flow/daemon.ts"
import { PlainWork } from "../flow/PlainWork.ts"
import type { Ended } from "../flow/PlainWork.ts"
import { everySecond } from "../flow/schedules.ts"
import { Mutex } from "../flow/Mutex.ts"
import { isRefused } from "../sql/isRefused.ts"
import { Metrics } from "../telemetry/Metrics.ts"
import type { InDoubt } from "./InDoubt.ts"
import type { BalanceOperations, Writes } from "./BalanceOperations.ts"
import type { UsageRow } from "./store/usageRows.ts"
import { Pause, UsageBatch } from "./UsageBatch.ts"
import type { Entry } from "./UsageBatch.ts"

/** How long rows that nobody waits for gather, in ms. */
const lag = 20
/**
 * The longest a row that somebody waits for waits for others to join its commit, in ms: by what a commit costs, which is
 * a trip of a millisecond and more where the database is a server.
 */
const longestPause = { here: 2.5, server: 5 } as const
/** Of rows that nobody waits for, how many are written at once: the one thread does nothing else for that millisecond. */
const rowsBehind = 512
/** Rows kept at most while the database takes none. */
const capacity = 100_000

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

/**
 * @param name what its fiber is called
 * @param mayFollow whether a request is under way that will wait for its row too
 */
export const makeUsageLog = Effect.fnUntraced(function* (
  name: string,
  { unsettle, write, writeNow, writeSoon }: Writes & Pick<BalanceOperations, "unsettle">,
  mayFollow: () => boolean
) {
  const refused = (yield* Metrics).usageRefused.of()
  /** Rows that a request waits for, or that cost money. */
  let open = new UsageBatch()
  /** Rows that can wait. */
  let behind: Array<UsageRow> = []
  let wake: (() => void) | undefined
  const pause = new Pause(writeNow === undefined ? longestPause.server : longestPause.here)
  /** Of the last rows nobody knows whether they are stored. */
  let isInDoubt = false

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
      if (!writeNow(batch.rows)) return false
      open = new UsageBatch()
      stored(batch, began)
      return true
    }
    const some = behind.slice(0, rowsBehind)
    // Somebody else may have been quicker than the timer.
    if (some.length > 0 && !writeNow(some)) return false
    behind = behind.slice(some.length)
    return true
  }

  const stored = (batch: UsageBatch, began: number): void => {
    pause.after(performance.now() - began, batch.entries.length)
    batch.stored()
  }

  const turn = new Mutex()
  const plain = new PlainWork<SqlError | InDoubt>()

  /** As `writtenNow` where writing means waiting; what is left for the fiber has the turn. */
  const sentSoon = (ended: Ended<SqlError | InDoubt>): boolean => {
    if (writeSoon === undefined || isInDoubt || open.entries.length === 0 || !turn.tryTake()) return false
    const commit = makeCommit()
    writeSoon(commit.take, commit.late, (written) => {
      if (written !== Effect.void) return ended(turn.rest(commit.heeded(written)))
      commit.stored()
      turn.give()
      ended(undefined)
    })
    return true
  }

  const somethingToWrite = Effect.async<void>((resume) => {
    let timer: ReturnType<typeof setTimeout> | undefined
    let due = Infinity
    const resumed = () => {
      wake = undefined
      resume(Effect.void)
    }
    const go = () => {
      clearTimeout(timer)
      due = Infinity
      // The fiber writes what plain code cannot, and handles its failures.
      if (writtenNow()) return wake?.()
      if (!plain.begin(sentSoon, (isLeft) => (isLeft ? resumed() : wake?.()))) resumed()
    }
    wake = () => {
      if (plain.isUnderWay) return
      const ms = open.entries.length === 0 ? Infinity : mayFollow() ? pause.left : 0
      if (ms <= 0 || behind.length >= rowsBehind) return go()
      if (ms < Infinity) wait(ms)
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
  const writeEach = (batch: UsageBatch) =>
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

  const take = (): UsageBatch => {
    const taken = open
    open = new UsageBatch()
    return taken
  }

  // Both take their rows when the commit begins, so that whatever came in the meantime goes with it: once, however often
  // the commit is tried. Where it can't even begin, those who wait are told all the same.
  const makeCommit = () => {
    let batch: UsageBatch | undefined
    let doubted: ReadonlyArray<Entry> = []
    const begin = (): UsageBatch => (batch ??= take())
    const began = performance.now()
    return {
      take: () => begin().rows,
      late: (isStored: boolean) => {
        isInDoubt = false
        if (!isStored) giveBack(doubted)
      },
      stored: () => stored(begin(), began),
      heeded: (written: Effect.Effect<void, SqlError | InDoubt>) =>
        written.pipe(
          // Nothing is given back before that is known; those who wait are told at once.
          Effect.tapErrorTag("InDoubt", () =>
            Effect.sync(() => {
              isInDoubt = true
              doubted = begin().entries.splice(0)
            })
          ),
          Effect.catchTag("SqlError", (error) => (isRefused(error) ? writeEach(begin()) : Effect.fail(error))),
          Effect.onExit((exit) =>
            Effect.sync(() => {
              if (Exit.isSuccess(exit)) return stored(begin(), began)
              giveBack(begin().entries)
              begin().failed()
            })
          )
        )
    }
  }

  const writeAwaited = Effect.suspend(() => {
    const { heeded, late, take: rows } = makeCommit()
    return heeded(write(rows, late))
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
    return writing(() => (rows ??= behind.splice(0, rowsBehind)), again).pipe(
      Effect.catchTag("SqlError", (error) => {
        if (!isRefused(error)) {
          again()
          return Effect.fail(error)
        }
        const each = new UsageBatch()
        for (const row of rows ?? []) each.entries.push({ row, lost: undefined })
        return Effect.tapError(writeEach(each), () => Effect.sync(() => giveBack(each.entries)))
      })
    )
  })

  const pass = Effect.suspend((): Effect.Effect<void, SqlError | InDoubt> => {
    if (open.entries.length > 0 || isInDoubt) return writeAwaited
    return behind.length > 0 ? writeBehind : Effect.void
  })
  // Runs after the fiber has ended.
  yield* Effect.addFinalizer(() => plain.end)
  yield* daemon(name, Effect.as(plain.leftOr(turn.whole(pass)), somethingToWrite), everySecond)

  const flush = Effect.suspend(() => {
    for (const row of behind.splice(0)) open.entries.push({ row, lost: undefined })
    const { written } = open
    // The write that is running may not have ended.
    if (open.entries.length === 0)
      return turn.whole(Effect.suspend(() => (isInDoubt ? Effect.ignore(writeAwaited) : Effect.void)))
    wake?.()
    return Effect.promise(() => written.catch(() => {}))
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
      return batch.isStored ? undefined : batch.written
    },
    flush
  } satisfies UsageLog
})
