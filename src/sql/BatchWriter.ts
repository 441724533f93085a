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
  /** How long rows gather that nobody waits for, in ms. */
  readonly lagMs?: number
  /** True for a row that does not gather, although nobody waits for it. */
  readonly isUrgent?: (row: Row) => boolean
  /** The most rows that are kept while the database takes none. */
  readonly capacity?: number
  /** Gathers rows that somebody waits for while others may follow. Absent: those of one turn of the event loop. */
  readonly pause?: { readonly mayFollow: () => boolean; readonly longestMs: number }
  /** Runs for each row that the database refuses. */
  readonly refused?: (row: Row, error: SqlError) => Effect.Effect<void>
  /** Called with each row that was appended and will not be stored. */
  readonly lost?: (row: Row) => void
}

export interface BatchWriter<Row> {
  /** Writes a row a moment later, and again until it is stored. */
  readonly append: (row: Row) => void
  /**
   * Writes a row that somebody waits for. Rejects if it could not be stored: it is not tried again.
   *
   * @param lost called once it is certain that the row is not stored, which may be after the rejection
   * @returns undefined if the row is stored already
   */
  readonly write: (row: Row, lost?: () => void) => Promise<void> | undefined
  /** Waits until the rows so far are stored, or could not be. */
  readonly flush: Effect.Effect<void>
}

interface Entry<Row> {
  readonly row: Row
  /** Undefined if nobody waits: then the row is kept until it is stored. */
  readonly lost: (() => void) | undefined
  told: ((error?: unknown) => void) | undefined
  isStored: boolean
}

/**
 * Writes rows from plain code, many in one commit. A row that the database refuses fails alone: the others of its commit
 * are stored. What is left is written when the scope closes.
 *
 * @param name the daemon's
 * @param most rows of one commit: SQLite blocks the thread for that long
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
  /** Rows that gather. */
  let behind: Array<Entry<Row>> = []
  let wake: (() => void) | undefined
  /** It is not known whether the last rows are stored. */
  let isInDoubt = false
  const turn = new Mutex()
  const plain = new PlainWork<WriteFailure>()

  const isUrgent = ({ lost, row }: Entry<Row>) => lost !== undefined || options.isUrgent?.(row) === true
  const next = () => (urgent.length > 0 ? urgent : behind).splice(0, most)

  const stored = (entries: ReadonlyArray<Entry<Row>>, began: number): void => {
    if (entries[0] !== undefined && isUrgent(entries[0])) pause?.after(performance.now() - began, entries.length)
    for (const entry of entries) {
      entry.isStored = true
      entry.told?.()
    }
  }

  const lose = ({ lost, row }: Entry<Row>) => (lost === undefined ? options.lost?.(row) : lost())

  /** Keeps rows for the next try. Those that somebody waits for are lost. */
  const giveBack = (entries: ReadonlyArray<Entry<Row>>, error: unknown): void => {
    const kept = entries.filter(({ lost }) => lost === undefined)
    const room = Math.max(0, capacity - urgent.length - behind.length)
    behind.unshift(...kept.slice(0, room))
    for (const entry of kept.slice(room)) lose(entry)
    for (const entry of entries) {
      if (entry.lost !== undefined) lose(entry)
      entry.told?.(error)
    }
  }

  /** One write, whose rows are taken when it begins. */
  const batchOf = (take: () => ReadonlyArray<Entry<Row>>) => {
    const began = performance.now()
    let taken: ReadonlyArray<Entry<Row>> | undefined
    const entries = () => (taken ??= take())

    const late = (isStored: boolean) => {
      isInDoubt = false
      if (!isStored) giveBack(entries(), new Error("the rows were not stored"))
    }
    const failed = (cause: Cause.Cause<WriteFailure>): Effect.Effect<void, WriteFailure> => {
      const failure = Option.getOrUndefined(Cause.failureOption(cause))
      const error = failure ?? Cause.squash(cause)
      const [first, ...others] = entries()
      if (failure?._tag === "InDoubt") {
        isInDoubt = true
        // They are told now; what becomes of them is decided later.
        for (const { told } of entries()) told?.(error)
        return Effect.failCause(cause)
      }
      if (failure !== undefined && isRefused(failure) && first !== undefined) {
        return others.length === 0 ? refuse(first, failure) : inHalves(entries())
      }
      giveBack(entries(), error)
      // Nothing is left to try again if all of them were waited for.
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
      entry.told?.(error)
      return options.refused?.(entry.row, error) ?? Effect.void
    })

  const pass = Effect.suspend(() => (urgent.length > 0 || behind.length > 0 || isInDoubt ? written(next) : Effect.void))

  /** Writes without the fiber; false, and nothing has changed, if that is not possible. */
  const isWrittenNow = (): boolean => {
    if (writeNow === undefined || isInDoubt) return false
    const began = performance.now()
    const from = urgent.length > 0 ? urgent : behind
    const some = from.slice(0, most)
    try {
      // A flush may have been faster than the timer.
      if (some.length > 0 && !writeNow(some.map(({ row }) => row))) return false
    } catch {
      // The fiber fails with it again, and tells those who wait.
      return false
    }
    from.splice(0, some.length)
    stored(some, began)
    return true
  }

  /** As `isWrittenNow` where the database has to be waited for. What is left for the fiber has the turn. */
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
      // The fiber writes what plain code can't, and knows what to do with failures.
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
    /** The rows of this turn of the event loop join the same commit. */
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
      const entry: Entry<Row> = { row, lost: undefined, told: undefined, isStored: false }
      if (urgent.length + behind.length >= capacity) return lose(entry)
      const line = isUrgent(entry) ? urgent : behind
      line.push(entry)
      wake?.()
    },
    write: (row, lost = nothing) => {
      const entry: Entry<Row> = { row, lost, told: undefined, isStored: false }
      urgent.push(entry)
      wake?.()
      if (entry.isStored) return undefined
      const { promise, reject, resolve } = Promise.withResolvers<void>()
      entry.told = (error) => (error === undefined ? resolve() : reject(error))
      promise.catch(nothing)
      return promise
    },
    flush
  }
  return writer
})

const nothing = () => {}
