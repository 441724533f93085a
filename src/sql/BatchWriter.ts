import type { SqlError } from "@effect/sql/SqlError"
import { Cause, Effect, Exit, Option, Runtime } from "effect"
import { CommitPause } from "./CommitPause.ts"
import { makeGather } from "./Gather.ts"
import type { BatchEnded, Doubtful, Due } from "./Gather.ts"
import { isRefused } from "./isRefused.ts"
import type { Writes } from "./Writes.ts"

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
  { write }: Writes<Row>,
  options: BatchOptions<Row> = {}
) {
  const { capacity = 100_000, lagMs = 20 } = options
  const fork = Runtime.runFork(yield* Effect.runtime())
  const pause = options.pause && new CommitPause(options.pause.longestMs)
  /** Rows to write as soon as possible. */
  const urgent: Array<Entry<Row>> = []
  /** Rows being gathered. */
  const behind: Array<Entry<Row>> = []

  const isUrgent = ({ lost, row }: Entry<Row>) => lost !== undefined || options.isUrgent?.(row) === true

  const due = (): Due => {
    if (urgent.length === 0) return behind.length === 0 ? undefined : behind.length >= most ? "now" : lagMs
    if (pause === undefined) return "this turn"
    const ms = options.pause?.mayFollow() === true ? pause.left : 0
    return ms <= 0 || behind.length >= most ? "now" : ms
  }

  const lose = ({ lost, row }: Entry<Row>) => (lost === undefined ? options.lost?.(row) : lost())

  const store = (entries: ReadonlyArray<Entry<Row>>, began: number): void => {
    if (entries[0] !== undefined && isUrgent(entries[0])) pause?.after(performance.now() - began, entries.length)
    for (const entry of entries) {
      entry.isStored = true
      entry.done?.()
    }
  }

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

  const refuse = (entry: Entry<Row>, error: SqlError): void => {
    lose(entry)
    entry.done?.(error)
    if (options.refused !== undefined) fork(options.refused(entry.row, error))
  }

  /** One write, which takes its rows when it begins. */
  const send = (take: () => ReadonlyArray<Entry<Row>>, ended: BatchEnded, doubtful: Doubtful): void => {
    const began = performance.now()
    let taken: ReadonlyArray<Entry<Row>> | undefined
    const entries = () => (taken ??= take())
    write(
      () => entries().map(({ row }) => row),
      (exit) => {
        if (Exit.isSuccess(exit)) {
          store(entries(), began)
          return ended()
        }
        const error = Option.getOrUndefined(Cause.failureOption(exit.cause))
        const [first, ...others] = entries()
        if (error === undefined || !isRefused(error) || first === undefined) {
          requeue(entries(), error ?? Cause.squash(exit.cause))
          // Awaited rows are not retried.
          return ended(entries().every(({ lost }) => lost !== undefined) ? undefined : exit.cause)
        }
        if (others.length > 0) return sendHalves(entries(), ended, doubtful)
        refuse(first, error)
        ended()
      },
      (cause) => {
        // Callers get the error now. Whether the rows were stored is known later.
        for (const { done } of entries()) done?.(Cause.squash(cause))
        doubtful(cause)
      }
    )
  }

  const sendHalves = (entries: ReadonlyArray<Entry<Row>>, ended: BatchEnded, doubtful: Doubtful): void => {
    const middle = Math.ceil(entries.length / 2)
    const second = (first?: Cause.Cause<unknown>) =>
      send(
        () => entries.slice(middle),
        (cause) => ended(first ?? cause),
        doubtful
      )
    send(() => entries.slice(0, middle), second, doubtful)
  }

  const next = () => (urgent.length > 0 ? urgent : behind).splice(0, most)
  const gather = yield* makeGather(name, due, (ended, doubtful) => send(next, ended, doubtful))

  const flush = Effect.suspend(() => {
    urgent.push(...behind.splice(0))
    return gather.flush(Math.max(1, Math.ceil(urgent.length / most)))
  })
  yield* Effect.addFinalizer(() => Effect.timeoutOption(flush, "5 seconds"))

  const writer: BatchWriter<Row> = {
    append: (row) => {
      const entry: Entry<Row> = { row, lost: undefined, done: undefined, isStored: false }
      if (urgent.length + behind.length >= capacity) return lose(entry)
      const line = isUrgent(entry) ? urgent : behind
      line.push(entry)
      gather.wake()
    },
    write: (row, lost = nothing) => {
      const entry: Entry<Row> = { row, lost, done: undefined, isStored: false }
      urgent.push(entry)
      gather.wake()
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
