import { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect, Schema } from "effect"
import { rows } from "../../sql/decode.ts"
import { prepare } from "../../sql/prepare.ts"
import type { ResponseFrame } from "../encoding.ts"

/** Rows read at once. Each has up to some seconds of a response. */
const rowsAtOnce = 32

/**
 * The events of background responses. Readers only get stored events, so that one who reconnects sees no gap and no
 * duplicate. They are deleted with their task.
 */
export class ResponseEvents extends Effect.Service<ResponseEvents>()("gateway/responses/store/ResponseEvents", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const insert = prepare(
      sql,
      sql`INSERT INTO response_events ${sql.insert({ response_id: "", last: 0, frames: "" })}`
    )
    const select = prepare(
      sql,
      sql`SELECT frames FROM response_events WHERE response_id = ${""} AND last > ${0} ORDER BY last LIMIT ${0}`
    )
    const readers = new Map<string, Set<() => void>>()

    /** Appends events, within a transaction. Call `notify` after it. */
    const append = (id: string, frames: ReadonlyArray<ResponseFrame>): Effect.Effect<unknown, SqlError> => {
      const last = frames.at(-1)?.sequence_number
      return last === undefined ? Effect.void : insert([id, last, JSON.stringify(frames)])
    }

    /** The next events after a number, perhaps not all of them. Empty if there are none yet. */
    const after = (id: string, number: number): Effect.Effect<ReadonlyArray<ResponseFrame>, SqlError> =>
      Effect.map(select([id, number, rowsAtOnce]), (found) =>
        batches
          .all(found)
          .flatMap(({ frames }) => frames)
          .filter(({ sequence_number }) => sequence_number > number)
      )

    /** All events after a number. */
    const all = (id: string, number: number): Effect.Effect<ReadonlyArray<ResponseFrame>, SqlError> =>
      Effect.flatMap(after(id, number), (frames) => {
        const reached = frames.at(-1)?.sequence_number
        return reached === undefined
          ? Effect.succeed(frames)
          : Effect.map(all(id, reached), (others) => [...frames, ...others])
      })

    /** The number of the last event; undefined if none is stored. */
    const last = (id: string): Effect.Effect<number | undefined, SqlError> =>
      Effect.map(
        sql`SELECT MAX(last) AS last FROM response_events WHERE response_id = ${id}`,
        (found) => numbers.first(found)?.last ?? undefined
      )

    /** Removes the events of tasks that a trigger does not remove, because their store is not the database. */
    const remove = (ids: ReadonlyArray<string>): Effect.Effect<unknown, SqlError> =>
      ids.length === 0 ? Effect.void : sql`DELETE FROM response_events WHERE ${sql.in("response_id", ids)}`

    /** Wakes the readers of a response in this process. */
    const notify = (id: string): void => {
      for (const wake of readers.get(id) ?? []) wake()
    }

    /** Wakes a reader when there are more events. Returns a function that stops it. */
    const listen = (id: string, wake: () => void): (() => void) => {
      const all = readers.get(id) ?? new Set()
      readers.set(id, all.add(wake))
      return () => {
        all.delete(wake)
        if (all.size === 0 && readers.get(id) === all) readers.delete(id)
      }
    }

    return { append, after, all, last, remove, notify, listen } as const
  })
}) {}

/* The gateway wrote it, so checking the outline is enough. */
const isFrame = (value: unknown): value is ResponseFrame =>
  typeof value === "object" && value !== null && "type" in value && "sequence_number" in value

const Frames = Schema.declare(
  (value: unknown): value is ReadonlyArray<ResponseFrame> => Array.isArray(value) && value.every(isFrame)
).annotations({ identifier: "events" })

const batches = rows("response_events", { frames: Schema.parseJson(Frames) })
const numbers = rows("response_events", { last: Schema.NullOr(Schema.Int) })
