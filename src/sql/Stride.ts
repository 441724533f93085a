import type { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import { ownTurn } from "../flow/eventLoop.ts"

/** Rows of the first statement, and bounds for later ones. */
const [first, least, most] = [128, 16, 2_000]
/**
 * Target duration of a statement in ms. SQLite's statements block the thread. Postgres works in another process, and a
 * round trip to a busy one takes longer than 4 ms, whatever the number of rows.
 */
const aim = { here: 4, server: 20 } as const

/** Adapts the rows of the next statement to the duration of the last one: halves or doubles them. */
export class Stride {
  #rows = first
  readonly #aimMs: number

  constructor(sql: SqlClient.SqlClient) {
    this.#aimMs = sql.onDialectOrElse({ pg: () => aim.server, orElse: () => aim.here })
  }

  get rows(): number {
    return this.#rows
  }

  /** Runs a statement with all that is made of its rows at once, then yields to the event loop. */
  readonly timed = <A, E>(statement: Effect.Effect<A, E>): Effect.Effect<A, E> =>
    Effect.suspend(() => {
      const begunAt = performance.now()
      return Effect.tap(statement, () => {
        this.took(performance.now() - begunAt)
        return otherTurn
      })
    })

  /** Adapts to the duration of a statement. */
  took(ms: number): void {
    if (ms > this.#aimMs) this.#rows = Math.max(least, Math.floor(this.#rows / 2))
    else if (ms < this.#aimMs / 2) this.#rows = Math.min(most, this.#rows * 2)
  }
}

/** Yields to other work. Of all who wait so, one goes on in each turn of the event loop. */
const otherTurn = Effect.promise(ownTurn)
