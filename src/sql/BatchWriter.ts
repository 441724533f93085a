import type { SqlError } from "@effect/sql/SqlError"
import { Cause, Effect, Option } from "effect"
import { daemon } from "../flow/daemon.ts"
import { Mutex } from "../flow/Mutex.ts"
import { PlainWork } from "../flow/PlainWork.ts"
import type { Ended } from "../flow/PlainWork.ts"
import { everySecond } from "../flow/schedules.ts"
import { CommitPause } from "./CommitPause.ts"
import { isRefused } from "./isRefused.ts"
import type { WriteFailure, Writes } from "./Writes.ts"

export interface BatchOptions<Row> {
  /** How long appended rows are gathered, in ms. */
  readonly lagMs?: number
  /** True for an appended row that is written without gathering. */
  readonly isUrgent?: (row: Row) => boolean
  /** The most rows kept while the database accepts none. */
  readonly capacity?: number
  /** Delays awaited rows while others may follow. Absent: rows of one event-loop turn share a commit. */
  readonly pause?: { readonly mayFollow: () => boolean; readonly longestMs: number }
  /** Runs for each row that the database refuses. */
  readonly refused?: (row: Row, error: SqlError) => Effect.Effect<void>
  /** Called with each appended row that will not be stored. */
  readonly lost?: (row: Row) => void
}

export interface BatchWriter<Row> {
  /** Writes a row soon, and retries until it is stored. */
  readonly append: (row: Row) => void
  /**
   * Writes a row and reports the outcome. Rejects if the row could not be stored; it is not retried.
   *
   * @param lost called once it is certain that the row is not stored, which may be after the rejection
   * @returns undefined if the row is stored already
   */
  readonly write: (row: Row, lost?: () => void) => Promise<void> | undefined
  /** Waits until every row so far is stored or has failed. */
  readonly flush: Effect.Effect<void>
}

interface Entry<Row> {
  readonly row: Row
  /** Undefined for an appended row, which is kept until it is stored. */
  readonly lost: (() => void) | undefined
  done: ((error?: unknown) => void) | undefined
  isStored: boolean
}

/**
 * Writes rows from plain code, many in one commit. A row that the database refuses fails alone; the others of its
 * commit are stored. The rest is written when the scope closes.
 *
 * @param name the daemon's
 * @param most rows per commit: SQLite blocks the thread for that long
 */
export const makeBatchWriter = Effect.fnUntraced(function* <Row>(
  name: string,
  most: number,
  { write, writeNow, writeSoon }: Writes<Row>,
  options: BatchOptions<Row> = {}
) {
  const { capacity = 100_000, lagMs = 20 } = options
  const pause = options.pause && new CommitPause(options.pause.longestMs)
  /** Rows to write as soon as possible. */
  let urgent: Array<Entry<Row>> = []
  /** Rows being gathered. */
  let behind: Array<Entry<Row>> = []
  let wake: (() => void) | undefined
  /** The outcome of the last write is unknown. */
  let isInDoubt = false
  const turn = new Mutex()
  const plain = new PlainWork<WriteFailure>()

  const isUrgent = ({ lost, row }: Entry<Row>) => lost !== undefined || options.isUrgent?.(row) === true
  const next = () => (urgent.length > 0 ? urgent : behind).splice(0, most)

  const stored = (entries: ReadonlyArray<Entry<Row>>, began: number): void => {
    if (entries[0] !== undefined && isUrgent(entries[0])) pause?.after(performance.now() - began, entries.length)
    for (const entry of entries) {
      entry.isStored = true
      entry.done?.()
    }
  }

  const lose = ({ lost, row }: Entry<Row>) => (lost === undefined ? options.lost?.(row) : lost())

  /** Keeps appended rows for the next attempt. Awaited rows fail. */
  const requeue = (entries: ReadonlyArray<Entry<Row>>, error: unknown): void => {
    const kept = entries.filter(({ lost }) => lost === undefined)
    const room = Math.max(0, capacity - urgent.length - behind.length)
    behind.unshift(...kept.slice(0, room))
    for (const entry of kept.slice(room)) lose(entry)
    for (const entry of entries) {
      if (entry.lost !== undefined) lose(entry)
      entry.done?.(error)
    }
  }

  /** One write, which takes its rows when it begins. */
  const batchOf = (take: () => ReadonlyArray<Entry<Row>>) => {
    const began = performance.now()
    let taken: ReadonlyArray<Entry<Row>> | undefined
    const entries = () => (taken ??= take())

    const late = (isStored: boolean) => {
      isInDoubt = false
      if (!isStored) requeue(entries(), new Error("the rows were not stored"))
    }
    const failed = (cause: Cause.Cause<WriteFailure>): Effect.Effect<void, WriteFailure> => {
      const failure = Option.getOrUndefined(Cause.failureOption(cause))
      const error = failure ?? Cause.squash(cause)
      const [first, ...others] = entries()
      if (failure?._tag === "InDoubt") {
        isInDoubt = true
        // Callers get the error now. Whether the rows were stored is known later.
        for (const { done } of entries()) done?.(error)
        return Effect.failCause(cause)
      }
      if (failure !== undefined && isRefused(failure) && first !== undefined) {
        return others.length === 0 ? refuse(first, failure) : inHalves(entries())
      }
      requeue(entries(), error)
      // Awaited rows are not retried.
      return entries().every(({ lost }) => lost !== undefined) ? Effect.void : Effect.failCause(cause)
    }
    return {
      rows: () => entries().map(({ row }) => row),
      late,
      stored: () => stored(entries(), began),
      ended: (written: Effect.Effect<unknown, WriteFailure>): Effect.Effect<void, WriteFailure> =>
        Effect.matchCauseEffect(written, {
          onFailure: failed,
          onSuccess: () => Effect.sync(() => stored(entries(), began))
        })
    }
  }

  const written = (take: () => ReadonlyArray<Entry<Row>>): Effect.Effect<void, WriteFailure> =>
    Effect.suspend(() => {
      const batch = batchOf(take)
      return batch.ended(write(batch.rows, batch.late))
    })

  const inHalves = (entries: ReadonlyArray<Entry<Row>>): Effect.Effect<void, WriteFailure> => {
    const middle = Math.ceil(entries.length / 2)
    return Effect.flatMap(Effect.exit(written(() => entries.slice(0, middle))), (first) =>
      Effect.zipRight(
        written(() => entries.slice(middle)),
        first
      )
    )
  }

  const refuse = (entry: Entry<Row>, error: SqlError): Effect.Effect<void> =>
    Effect.suspend(() => {
      lose(entry)
      entry.done?.(error)
      return options.refused?.(entry.row, error) ?? Effect.void
    })

  const pass = Effect.suspend(() => (urgent.length > 0 || behind.length > 0 || isInDoubt ? written(next) : Effect.void))

  /** Writes without the fiber. Returns false, and changes nothing, if that is impossible. */
  const isWrittenNow = (): boolean => {
    if (writeNow === undefined || isInDoubt) return false
    const began = performance.now()
    const from = urgent.length > 0 ? urgent : behind
    const some = from.slice(0, most)
    try {
      // A flush may have run before the timer.
      if (some.length > 0 && !writeNow(some.map(({ row }) => row))) return false
    } catch {
      // The fiber fails with the same error and reports it to the callers.
      return false
    }
    from.splice(0, some.length)
    stored(some, began)
    return true
  }

  /** As `isWrittenNow`, for a database with a round trip. Work left for the fiber keeps the mutex. */
  const sentSoon = (ended: Ended<WriteFailure>): boolean => {
    if (writeSoon === undefined || isInDoubt || urgent.length === 0 || !turn.tryTake()) return false
    const batch = batchOf(next)
    writeSoon(batch.rows, batch.late, (sent) => {
      if (sent !== Effect.void) return ended(turn.rest(batch.ended(sent)))
      batch.stored()
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
      // The fiber writes what plain code can't, and handles failures.
      if (isWrittenNow()) return wake?.()
      if (!plain.begin(sentSoon, (isLeft) => (isLeft ? resumed() : wake?.()))) resumed()
    }
    const goIn = (ms: number) => {
      const until = performance.now() + ms
      if (until >= due) return
      clearTimeout(timer)
      due = until
      timer = setTimeout(go, ms)
    }
    /** The rows of this event-loop turn share a commit. */
    const goThisTurn = () => {
      if (due === -Infinity) return
      clearTimeout(timer)
      due = -Infinity
      setImmediate(go)
    }
    wake = () => {
      if (plain.isUnderWay) return
      if (urgent.length === 0) {
        if (behind.length >= most) go()
        else if (behind.length > 0) goIn(lagMs)
      } else if (pause === undefined) goThisTurn()
      else {
        const ms = options.pause?.mayFollow() === true ? pause.left : 0
        if (ms <= 0 || behind.length >= most) go()
        else goIn(ms)
      }
    }
    wake()
    return Effect.sync(() => {
      wake = undefined
      clearTimeout(timer)
    })
  })

  // Finalizers run in reverse order: `plain` ends after the daemon, and rows are written before.
  yield* Effect.addFinalizer(() => plain.end)
  yield* daemon(name, Effect.as(plain.leftOr(turn.whole(pass)), somethingToWrite), everySecond)

  const flush = Effect.suspend(() => {
    urgent.push(...behind.splice(0))
    const passes = Math.max(1, Math.ceil(urgent.length / most))
    return Effect.ignore(Effect.repeatN(turn.whole(pass), passes - 1))
  })
  yield* Effect.addFinalizer(() => Effect.timeoutOption(flush, "5 seconds"))

  const writer: BatchWriter<Row> = {
    append: (row) => {
      const entry: Entry<Row> = { row, lost: undefined, done: undefined, isStored: false }
      if (urgent.length + behind.length >= capacity) return lose(entry)
      const line = isUrgent(entry) ? urgent : behind
      line.push(entry)
      wake?.()
    },
    write: (row, lost = nothing) => {
      const entry: Entry<Row> = { row, lost, done: undefined, isStored: false }
      urgent.push(entry)
      wake?.()
      if (entry.isStored) return undefined
      const { promise, reject, resolve } = Promise.withResolvers<void>()
      entry.done = (error) => (error === undefined ? resolve() : reject(error))
      promise.catch(nothing)
      return promise
    },
    flush
  }
  return writer
})

const nothing = () => {}
