import { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect, Schema } from "effect"
import { rows } from "../../sql/decode.ts"
import { prepared } from "../../sql/prepared.ts"
import type { ResponseFrame } from "../encoding.ts"

/** Rows that one reading takes: some seconds of a response each time. */
const rowsAtOnce = 32

/**
 * The events of responses that run in the background, as their readers see them: what is not stored was never told, so
 * that nobody who comes again finds a gap or a twin. They go with their task.
 */
export class ResponseEvents extends Effect.Service<ResponseEvents>()("gateway/responses/store/ResponseEvents", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const insert = prepared(
      sql,
      sql`INSERT INTO response_events ${sql.insert({ response_id: "", last: 0, frames: "" })}`
    )
    const select = prepared(
      sql,
      sql`SELECT frames FROM response_events WHERE response_id = ${""} AND last > ${0} ORDER BY last LIMIT ${0}`
    )
    const readers = new Map<string, Set<() => void>>()

    /** Adds events that follow the last ones. To be run in a transaction; `told` is for after it. */
    const append = (id: string, frames: ReadonlyArray<ResponseFrame>): Effect.Effect<unknown, SqlError> => {
      const last = frames.at(-1)?.sequence_number
      return last === undefined ? Effect.void : insert([id, last, JSON.stringify(frames)])
    }

    /** Those after a number, or some of them; none is none yet. */
    const after = (id: string, number: number): Effect.Effect<ReadonlyArray<ResponseFrame>, SqlError> =>
      Effect.map(select([id, number, rowsAtOnce]), (found) =>
        batches
          .all(found)
          .flatMap(({ frames }) => frames)
          .filter(({ sequence_number }) => sequence_number > number)
      )

    /** The number of the last one; undefined where a response has none. */
    const last = (id: string): Effect.Effect<number | undefined, SqlError> =>
      Effect.map(
        sql`SELECT MAX(last) AS last FROM response_events WHERE response_id = ${id}`,
        (found) => numbers.first(found)?.last ?? undefined
      )

    /** Wakes those of this process that read a response: there is more of it. */
    const told = (id: string): void => {
      for (const wake of readers.get(id) ?? []) wake()
    }

    /** Has somebody woken who reads a response, until it leaves by what this answers. */
    const listen = (id: string, wake: () => void): (() => void) => {
      const all = readers.get(id) ?? new Set()
      readers.set(id, all.add(wake))
      return () => {
        all.delete(wake)
        if (all.size === 0 && readers.get(id) === all) readers.delete(id)
      }
    }

    return { append, after, last, told, listen } as const
  })
}) {}

/* What is stored was written here; its outline is enough. */
const isFrame = (value: unknown): value is ResponseFrame =>
  typeof value === "object" && value !== null && "type" in value && "sequence_number" in value

const Frames = Schema.declare(
  (value: unknown): value is ReadonlyArray<ResponseFrame> => Array.isArray(value) && value.every(isFrame)
).annotations({ identifier: "events" })

const batches = rows("response_events", { frames: Schema.parseJson(Frames) })
const numbers = rows("response_events", { last: Schema.NullOr(Schema.Int) })
