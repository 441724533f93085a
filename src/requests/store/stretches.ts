import type { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect, Schema } from "effect"
import { ownTurn } from "../../flow/eventLoop.ts"
import { rows } from "../../sql/decode.ts"

const ids = rows("requests", { id: Schema.Int })

/** Rows of a first statement, of the shortest and of the longest. */
const [first, least, most] = [128, 16, 2_000]
/** SQLite's statements hold up everybody: longer ones are halved, much shorter ones doubled. In ms. */
const aimMs = 4

/** How many rows the next statement looks through, by what the last one took. */
export class Stride {
  #rows = first

  get rows(): number {
    return this.#rows
  }

  /** Runs a statement, and lets others have a turn after it. */
  readonly timed = <A>(statement: Effect.Effect<A, SqlError>): Effect.Effect<A, SqlError> =>
    Effect.suspend(() => {
      const begunAt = performance.now()
      return Effect.tap(statement, () => {
        const tookMs = performance.now() - begunAt
        if (tookMs > aimMs) this.#rows = Math.max(least, Math.floor(this.#rows / 2))
        else if (tookMs < aimMs / 2) this.#rows = Math.min(most, this.#rows * 2)
        return otherTurn
      })
    })
}

const otherTurn = Effect.promise(ownTurn)

/** Bounds of stretches of `requests` by ids, with so many rows that may be looked at; an account's own by their index. */
export const stretches = (sql: SqlClient.SqlClient) => ({
  /** From which id on there are so many rows before another. @param from the least id */
  before: (until: number, from: number, count: number, owner: string | undefined): Effect.Effect<number, SqlError> =>
    owner === undefined
      ? Effect.succeed(Math.max(from, until - count))
      : Effect.map(
          sql`SELECT id FROM requests WHERE account_id = ${owner} AND id < ${until} AND id >= ${from}
            ORDER BY id DESC LIMIT 1 OFFSET ${count - 1}`,
          (found) => ids.first(found)?.id ?? from
        ),
  /** Before which id there are so many rows from another on. @param until the id after the last */
  after: (from: number, until: number, count: number, owner: string | undefined): Effect.Effect<number, SqlError> =>
    owner === undefined
      ? Effect.succeed(Math.min(until, from + count))
      : Effect.map(
          sql`SELECT id FROM requests WHERE account_id = ${owner} AND id >= ${from} AND id < ${until}
            ORDER BY id LIMIT 1 OFFSET ${count}`,
          (found) => ids.first(found)?.id ?? until
        )
})
