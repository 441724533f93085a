import { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect, Schema } from "effect"
import { Commits } from "../../sql/Commits.ts"
import { settledSums } from "../../ledger/store/settledSums.ts"
import { rows } from "../../sql/decode.ts"
import { DetailsText } from "../RequestRow.ts"
import { BodyStore } from "./BodyStore.ts"
import { matching, ownerOf } from "./matching.ts"
import type { RequestFilter } from "./matching.ts"
import { requestCounts } from "./requestCounts.ts"
import { requestIds } from "./requestIds.ts"
import { Stride, stretches } from "./stretches.ts"

const stored = rows("requests", {
  id: Schema.Int,
  at: Schema.Int,
  request_id: Schema.String,
  account_id: Schema.String,
  key_id: Schema.String,
  family: Schema.String,
  endpoint: Schema.String,
  model: Schema.String,
  upstream_model: Schema.String,
  upstream: Schema.String,
  status: Schema.Int,
  error: Schema.String,
  stream: Schema.Boolean,
  first_byte_ms: Schema.Int,
  duration_ms: Schema.Int,
  input_tokens: Schema.Int,
  output_tokens: Schema.Int,
  cache_read_tokens: Schema.Int,
  cache_write_tokens: Schema.Int,
  reasoning_tokens: Schema.Int,
  searches: Schema.Int,
  cost_nano_usd: Schema.NullOr(Schema.Int),
  upstream_cost_nano_usd: Schema.NullOr(Schema.Int),
  settled_at: Schema.NullOr(Schema.Int),
  details: DetailsText
})
const ids = rows("requests", { id: Schema.Int })

/** A request as it is kept; one that made a task has what that has used and cost. */
export type StoredRequest = ReturnType<typeof stored.one>

export interface RequestPage {
  readonly data: ReadonlyArray<StoredRequest>
  /** Where the next page begins, by its rows' ids; undefined where there is none. */
  readonly next: number | undefined
}

/** Rows that one call looks through before it answers with what it has found so far. */
const mostLookedAt = 500_000

/** Reads what became of requests, newest first, and removes what is old. */
export class RequestStore extends Effect.Service<RequestStore>()("gateway/requests/store/RequestStore", {
  dependencies: [Commits.Default, BodyStore.Default],
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const commits = yield* Commits
    const { find: bodies } = yield* BodyStore
    const { ofTasks } = settledSums(sql)

    /** A task is settled after the request that made it is over: what it has used is in its usage row. */
    const withTasks = Effect.fnUntraced(function* (
      found: ReadonlyArray<StoredRequest>
    ): Effect.fn.Return<ReadonlyArray<StoredRequest>, SqlError> {
      // Where its client left just then, the row does not name its task.
      const open = found.filter(({ settled_at }) => settled_at === null)
      const tasks = yield* ofTasks(open.map(({ request_id }) => request_id))
      return tasks.size === 0
        ? found
        : found.map((row) => {
            const { at: settled_at, ...used } = tasks.get(row.request_id) ?? { at: row.settled_at }
            return { ...row, ...used, settled_at }
          })
    })

    /** @param account only this one's */
    const find = (requestId: string, account?: string): Effect.Effect<StoredRequest | undefined, SqlError> =>
      sql`SELECT * FROM requests WHERE ${sql.and([
        sql`request_id = ${requestId}`,
        ...(account === undefined ? [] : [sql`account_id = ${account}`])
      ])} ORDER BY id DESC LIMIT 1`.pipe(
        Effect.flatMap((found) => withTasks(stored.all(found))),
        Effect.map(([row]) => row)
      )

    const { begunBy, ends, overAt } = requestIds(sql)
    const { before: stretchBefore } = stretches(sql)

    /**
     * A page, looked for a stretch at a time: what is rare may be far down a long table, and nobody else should wait for
     * it. A page may so have fewer rows than it could, and yet have a next one.
     *
     * @param before the id before which it begins
     * @param after the id down to which it goes, that one not
     */
    const list = Effect.fnUntraced(function* (
      filter: RequestFilter,
      {
        after = -Infinity,
        before,
        limit
      }: { readonly before: number | undefined; readonly limit: number; readonly after?: number }
    ): Effect.fn.Return<RequestPage, SqlError> {
      const found: Array<StoredRequest> = []
      const all = yield* ends
      if (all === undefined) return { data: found, next: undefined }
      const conditions = matching(sql, filter)
      const begins = filter.sinceMs === undefined ? all.first : yield* overAt(filter.sinceMs, all)
      const ending = filter.untilMs === undefined ? all.last + 1 : yield* begunBy(filter.untilMs, all)
      const first = Math.max(begins, after + 1)
      let until = Math.min(before ?? Infinity, ending)
      const stride = new Stride()
      const owner = ownerOf(filter)
      for (let lookedAt = 0; lookedAt < mostLookedAt && until > first; lookedAt += stride.rows) {
        const from = yield* stretchBefore(until, first, stride.rows, owner)
        const some = stored.all(
          yield* stride.timed(
            sql`SELECT * FROM requests WHERE ${sql.and([sql`id < ${until}`, sql`id >= ${from}`, ...conditions])}
              ORDER BY id DESC LIMIT ${limit - found.length}`
          )
        )
        found.push(...some)
        const oldestFound = found.at(-1)
        if (found.length >= limit && oldestFound !== undefined)
          return { data: yield* withTasks(found), next: oldestFound.id > first ? oldestFound.id : undefined }
        until = from
      }
      return { data: yield* withTasks(found), next: until > first ? until : undefined }
    })

    /** Removes the oldest of those that began before a time, or are more than so many; answers how many went. */
    const removeOld = Effect.fnUntraced(function* (
      beforeMs: number,
      mostRows: number,
      batch: number
    ): Effect.fn.Return<number, SqlError> {
      const all = yield* ends
      if (all === undefined) return 0
      const { first, last } = all
      // Those that end later have higher ids: counted well enough without counting.
      const surplus = last - first + 1 - mostRows
      const until = Math.min(first + Math.max(0, surplus), first + batch)
      const gone = ids.all(
        yield* commits.statementBehind(
          sql`DELETE FROM requests WHERE id IN (SELECT id FROM requests
              WHERE id < ${first + batch} AND (at < ${beforeMs} OR id < ${until}) LIMIT ${batch}) RETURNING id`
        )
      )
      return gone.length
    })

    return { find, bodies, list, count: requestCounts(sql), removeOld } as const
  })
}) {}
