import { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect, Schema } from "effect"
import { Commits } from "../../sql/Commits.ts"
import { rows } from "../../sql/decode.ts"

const stored = rows("request_bodies", {
  request: Schema.String,
  answer: Schema.String,
  is_cut: Schema.Boolean
})
const gone = rows("request_bodies", { request_id: Schema.String })

/** The redacted bodies of a request and its answer. */
export interface BodyRow {
  readonly request_id: string
  readonly account_id: string
  readonly at: number
  readonly request: string
  readonly answer: string
  /** 1 if either was cut. */
  readonly is_cut: number
}

/** Recorded bodies of requests. */
export class BodyStore extends Effect.Service<BodyStore>()("gateway/requests/store/BodyStore", {
  dependencies: [Commits.Default],
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const commits = yield* Commits

    /** Writes nothing if the account was deleted while the answer was running. */
    const write = (row: BodyRow): Effect.Effect<unknown, SqlError> =>
      commits.commit(
        sql`INSERT INTO request_bodies (request_id, account_id, at, request, answer, is_cut)
          SELECT CAST(${row.request_id} AS TEXT), CAST(${row.account_id} AS TEXT), CAST(${row.at} AS BIGINT),
            CAST(${row.request} AS TEXT), CAST(${row.answer} AS TEXT), CAST(${row.is_cut} AS BIGINT)
          WHERE NOT EXISTS (SELECT 1 FROM accounts WHERE id = ${row.account_id} AND deleted_at IS NOT NULL)
          ON CONFLICT DO NOTHING`,
        "soon"
      )

    const find = (requestId: string) =>
      Effect.map(sql`SELECT request, answer, is_cut FROM request_bodies WHERE request_id = ${requestId}`, stored.first)

    /** Deletes up to `batch` older rows; returns their number. */
    const removeOld = (beforeMs: number, batch: number): Effect.Effect<number, SqlError> =>
      Effect.map(
        commits.commit(
          sql`DELETE FROM request_bodies WHERE request_id IN
            (SELECT request_id FROM request_bodies WHERE at < ${beforeMs} LIMIT ${batch}) RETURNING request_id`,
          "soon"
        ),
        (removed) => gone.all(removed).length
      )

    return { write, find, removeOld } as const
  })
}) {}
