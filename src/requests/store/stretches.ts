import type { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect, Schema } from "effect"
import { ownTurn } from "../../flow/eventLoop.ts"
import { rows } from "../../sql/decode.ts"
import { ofWhom } from "./matching.ts"
import type { Whose } from "./matching.ts"

const ids = rows("requests", { id: Schema.Int })

/** Rows of the first statement, and bounds for later ones. */
const [first, least, most] = [128, 16, 2_000]
/** Target duration of a statement in ms, because SQLite's statements block the thread. */
const aimMs = 4

/** Adapts the rows of the next statement to the duration of the last one: halves or doubles them. */
export class Stride {
  #rows = first

  get rows(): number {
    return this.#rows
  }

  /** Runs a statement, then yields to the event loop. */
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

/** Id bounds for `count` rows of `requests`, or of one account's or conversation's rows by their index. */
export const stretches = (sql: SqlClient.SqlClient) => ({
  /** The id from which `count` rows lead up to `until`. @param from lower bound */
  before: (until: number, from: number, count: number, whose: Whose | undefined): Effect.Effect<number, SqlError> =>
    whose === undefined
      ? Effect.succeed(Math.max(from, until - count))
      : Effect.map(
          sql`SELECT id FROM requests WHERE ${ofWhom(sql, whose)} AND id < ${until} AND id >= ${from}
            ORDER BY id DESC LIMIT 1 OFFSET ${count - 1}`,
          (found) => ids.first(found)?.id ?? from
        ),
  /** The id before which `count` rows lie from `from` on. @param until upper bound, exclusive */
  after: (from: number, until: number, count: number, whose: Whose | undefined): Effect.Effect<number, SqlError> =>
    whose === undefined
      ? Effect.succeed(Math.min(until, from + count))
      : Effect.map(
          sql`SELECT id FROM requests WHERE ${ofWhom(sql, whose)} AND id >= ${from} AND id < ${until}
            ORDER BY id LIMIT 1 OFFSET ${count}`,
          (found) => ids.first(found)?.id ?? until
        )
})
