import { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect, Schema } from "effect"
import { Commits } from "../../sql/Commits.ts"
import { rows } from "../../sql/decode.ts"
import { DetailsText } from "../RequestRow.ts"
import { BodyStore } from "./BodyStore.ts"

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
  details: DetailsText
})
const bounds = rows("requests", { first: Schema.NullOr(Schema.Int), last: Schema.NullOr(Schema.Int) })
const ids = rows("requests", { id: Schema.Int })

/** A request as it is kept. */
export type StoredRequest = ReturnType<typeof stored.one>

/** Which requests; what is absent is any. */
export interface RequestFilter {
  readonly account?: string | undefined
  readonly key?: string | undefined
  readonly family?: string | undefined
  readonly model?: string | undefined
  readonly upstream?: string | undefined
  /** Exact (`429`), or a class by its first digit (`4`). */
  readonly status?: number | undefined
  readonly error?: string | undefined
  readonly sinceMs?: number | undefined
  readonly untilMs?: number | undefined
}

export interface RequestPage {
  readonly data: ReadonlyArray<StoredRequest>
  /** Where the next page begins, by its rows' ids; undefined where there is none. */
  readonly next: number | undefined
}

/** Rows that one statement looks through: the others have a turn after it. */
const stride = 5_000
/** And one call, before it answers with what it has found so far. */
const mostLooks = 100

/** Reads what became of requests, newest first, and removes what is old. */
export class RequestStore extends Effect.Service<RequestStore>()("gateway/requests/store/RequestStore", {
  dependencies: [Commits.Default, BodyStore.Default],
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const commits = yield* Commits
    const { find: bodies } = yield* BodyStore

    /** @param account only this one's */
    const find = (requestId: string, account?: string): Effect.Effect<StoredRequest | undefined, SqlError> =>
      Effect.map(
        sql`SELECT * FROM requests WHERE ${sql.and([
          sql`request_id = ${requestId}`,
          ...(account === undefined ? [] : [sql`account_id = ${account}`])
        ])} ORDER BY id DESC LIMIT 1`,
        stored.first
      )

    const ends = Effect.map(sql`SELECT MIN(id) AS first, MAX(id) AS last FROM requests`, bounds.first)

    const conditions = (filter: RequestFilter) => [
      ...(filter.account === undefined ? [] : [sql`account_id = ${filter.account}`]),
      ...(filter.key === undefined ? [] : [sql`key_id = ${filter.key}`]),
      ...(filter.family === undefined ? [] : [sql`family = ${filter.family}`]),
      ...(filter.model === undefined ? [] : [sql`model = ${filter.model}`]),
      ...(filter.upstream === undefined ? [] : [sql`upstream = ${filter.upstream}`]),
      ...(filter.error === undefined ? [] : [sql`error = ${filter.error}`]),
      ...(filter.status === undefined
        ? []
        : filter.status < 10
          ? [sql`status >= ${filter.status * 100}`, sql`status < ${filter.status * 100 + 100}`]
          : [sql`status = ${filter.status}`]),
      ...(filter.sinceMs === undefined ? [] : [sql`at >= ${filter.sinceMs}`]),
      ...(filter.untilMs === undefined ? [] : [sql`at <= ${filter.untilMs}`])
    ]

    /**
     * A page, looked for a stretch at a time: what is rare may be far down a long table, and nobody else should wait for
     * it. A page may so have fewer rows than it could, and yet have a next one.
     *
     * @param before the id before which it begins
     * @param after the id down to which it goes, that one not
     */
    const list = (
      filter: RequestFilter,
      {
        after = -Infinity,
        before,
        limit
      }: { readonly before: number | undefined; readonly limit: number; readonly after?: number }
    ): Effect.Effect<RequestPage, SqlError> =>
      Effect.gen(function* () {
        const found: Array<StoredRequest> = []
        const { first: lowest, last } = (yield* ends) ?? { first: null, last: null }
        if (lowest === null || last === null) return { data: found, next: undefined }
        const first = Math.max(lowest, after + 1)
        const matching = conditions(filter)
        let until = Math.min(before ?? Infinity, last + 1)
        for (let looks = 0; looks < mostLooks && until > first; looks++) {
          const from = Math.max(until - stride, first)
          const some = stored.all(
            yield* sql`SELECT * FROM requests WHERE ${sql.and([sql`id < ${until}`, sql`id >= ${from}`, ...matching])}
              ORDER BY id DESC LIMIT ${limit - found.length}`
          )
          found.push(...some)
          const oldestFound = found.at(-1)
          if (found.length >= limit && oldestFound !== undefined)
            return { data: found, next: oldestFound.id > first ? oldestFound.id : undefined }
          until = from
          // Rows are written in the order in which they end, a little out of the order of their times.
          const oldest = some.at(-1)
          if (oldest !== undefined && filter.sinceMs !== undefined && oldest.at < filter.sinceMs - hourMs) break
          yield* Effect.yieldNow()
        }
        return { data: found, next: until > first ? until : undefined }
      })

    /** Removes the oldest of those that began before a time, or are more than so many; answers how many went. */
    const removeOld = (beforeMs: number, mostRows: number, batch: number): Effect.Effect<number, SqlError> =>
      Effect.gen(function* () {
        const { first, last } = (yield* ends) ?? { first: null, last: null }
        if (first === null || last === null) return 0
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

    return { find, bodies, list, removeOld } as const
  })
}) {}

const hourMs = 3_600_000
