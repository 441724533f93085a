import { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Duration, Effect, Schema } from "effect"
import { rows } from "../../../sql/decode.ts"

/** How long the journal of a request with a key is kept: as long as the key. */
const lifetimeMs = Duration.toMillis("24 hours")
/** Journals per deletion, few enough not to delay requests. */
const atOnce = 100

/** A round to be stored: its items, sealed, and the use of all rounds so far. */
interface Row {
  readonly owner: string
  readonly account: string
  readonly round: number
  readonly items: string
  readonly used: string
  /** True if nothing may ever end its request. */
  readonly expires: boolean
}

/** The table of rounds of requests that may run again. */
export const makeRoundStore = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  /** Adds a round; false if another one is there. A repeated write finds its own, since nothing is sealed twice to the same text. */
  const insert = (row: Row, nowMs: number): Effect.Effect<boolean, SqlError> =>
    Effect.map(
      sql`INSERT INTO tool_rounds ${sql.insert({
        owner: row.owner,
        round: row.round,
        account_id: row.account,
        items: row.items,
        used: row.used,
        due_at: row.expires ? nowMs + lifetimeMs : null
      })} ON CONFLICT (owner, round) DO UPDATE SET used = excluded.used
        WHERE tool_rounds.items = excluded.items RETURNING round`,
      (added) => added.length > 0
    )

  const update = ({ items, owner, round, used }: Row): Effect.Effect<unknown, SqlError> =>
    sql`UPDATE tool_rounds SET items = ${items}, used = ${used} WHERE owner = ${owner} AND round = ${round}`

  const find = (owner: string) =>
    Effect.map(sql`SELECT round, items, used FROM tool_rounds WHERE owner = ${owner} ORDER BY round`, stored.all)

  const remove = (owner: string): Effect.Effect<unknown, SqlError> =>
    sql`DELETE FROM tool_rounds WHERE owner = ${owner}`

  /** Deletes some of the journals that are due; returns the number of their rounds. */
  const purge = (nowMs: number): Effect.Effect<number, SqlError> =>
    Effect.map(
      sql`DELETE FROM tool_rounds WHERE owner IN
        (SELECT owner FROM tool_rounds WHERE due_at <= ${nowMs} ORDER BY due_at LIMIT ${atOnce}) RETURNING round`,
      (removed) => removed.length
    )

  return { insert, update, find, remove, purge } as const
})

const stored = rows("tool_rounds", { round: Schema.Int, items: Schema.String, used: Schema.String })
