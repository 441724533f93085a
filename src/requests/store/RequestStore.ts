import { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect, Predicate, Record, Schema, Struct } from "effect"
import { measuresIn, noColumns } from "../../contract/records/measures.ts"
import { serviceNames } from "../../contract/records/Service.ts"
import { Commits } from "../../sql/Commits.ts"
import { requestCost } from "../../ledger/store/requestCost.ts"
import { tasksUsage } from "../../ledger/store/tasksUsage.ts"
import { rows } from "../../sql/decode.ts"
import { DetailsText } from "../RequestRow.ts"
import { BodyStore } from "./BodyStore.ts"
import { matchConditions, whoseOf } from "./matchConditions.ts"
import type { RequestFilter } from "./matchConditions.ts"
import { requestCounts } from "./requestCounts.ts"
import { requestTotals } from "./requestTotals.ts"
import { requestIds } from "./requestIds.ts"
import { requestSlices } from "./requestSlices.ts"
import type { Own } from "../../contract/callers/Own.ts"
import { taskCalls } from "./taskCalls.ts"
import { toolCalls } from "../../tools/store/toolCalls.ts"
import type { StoredCall } from "./taskCalls.ts"
import { ofKeys } from "../../sql/ofKeys.ts"

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
  ...Record.map(noColumns.requests, () => Schema.Int),
  cost_nano_usd: Schema.NullOr(Schema.Int),
  upstream_cost_nano_usd: Schema.NullOr(Schema.Int),
  settled_at: Schema.NullOr(Schema.Int),
  conversation: Schema.String,
  details: DetailsText,
  key_name: Schema.NullOr(Schema.String),
  person_id: Schema.NullOr(Schema.String),
  person_name: Schema.NullOr(Schema.String)
})
const removed = rows("requests", { request_id: Schema.String })

const aboveHold = ({ details: { notes = [] } }: StoredRequest, nanoUsd: number) => ({
  above_hold_nano_usd: nanoUsd,
  notes: [...notes, "above_hold"]
})

/** A request with the calls of the task that it created: its upstream is the one that was called last. */
const withCalls = (row: StoredRequest, calls: ReadonlyArray<StoredCall> = []): StoredRequest => {
  const last = calls.findLast(({ upstream_model }) => upstream_model !== "") ?? calls.at(-1)
  if (last === undefined) return row
  const attempts = calls.map(({ at, calls, error, request_id: _request, status, upstream_key, ...call }) => ({
    ...call,
    offset_ms: Math.max(0, at - row.at),
    ...(upstream_key === "" ? {} : { upstream_key }),
    ...(status === null ? {} : { status }),
    ...(error === "" ? {} : { error }),
    ...(calls === 1 ? {} : { calls })
  }))
  const { upstream, upstream_model } = last
  return { ...row, upstream, upstream_model, details: { ...row.details, attempts } }
}

/** A stored request. One that created a task has the task's usage and cost. */
export type StoredRequest = ReturnType<typeof stored.one>

export interface RequestPage {
  readonly data: ReadonlyArray<StoredRequest>
  /** The row id at which the next page begins, if there is one. */
  readonly next: number | undefined
}

/** Rows without `settled_at`, of older gateways, were settled within this time of their request. */
const aroundMs = 5_000

/** Rows that one call scans before it returns what it has found. */
const mostLookedAt = 500_000

/** Reads stored requests, newest first, and deletes old ones. */
export class RequestStore extends Effect.Service<RequestStore>()("gateway/requests/store/RequestStore", {
  dependencies: [Commits.Default, BodyStore.Default],
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const commits = yield* Commits
    const { find: bodies } = yield* BodyStore
    const ofTasks = tasksUsage(sql)
    const calls = taskCalls(sql)
    const ofTools = toolCalls(sql)
    const shown = sql.literal(`requests.*, (SELECT name FROM keys WHERE keys.id = requests.key_id) AS key_name,
      (SELECT person_id FROM keys WHERE keys.id = requests.key_id) AS person_id,
      (SELECT COALESCE(NULLIF(p.email, ''), p.subject) FROM keys k JOIN people p ON p.id = k.person_id
        WHERE k.id = requests.key_id) AS person_name`)

    /** Adds tasks with their usage and cost, which are settled after their request, from the usage rows. */
    const withTasks = Effect.fnUntraced(function* (
      found: ReadonlyArray<StoredRequest>
    ): Effect.fn.Return<ReadonlyArray<StoredRequest>, SqlError> {
      // By request id: if the client left early, the row does not name its task.
      const open = found.filter(({ settled_at }) => settled_at === null)
      const ids = open.map(({ request_id }) => request_id)
      const tasks = yield* ofTasks(ids)
      const called = yield* calls.ofRequests(ids)
      return tasks.size + called.size === 0
        ? found
        : found.map((bare) => {
            const row = withCalls(bare, called.get(bare.request_id))
            const settled = tasks.get(row.request_id)
            if (settled === undefined) return row
            const { above_hold_nano_usd, at: settled_at, task_id: task, ...used } = settled
            const details = {
              task,
              ...row.details,
              ...Struct.pick(used, ...measuresIn("request_details")),
              ...Record.filter(Struct.pick(used, ...serviceNames), Predicate.isNotNull),
              ...(above_hold_nano_usd > 0 && aboveHold(row, above_hold_nano_usd))
            }
            return { ...row, ...used, settled_at, details }
          })
    })

    /** @param account finds only this account's requests */
    const find = (requestId: string, own?: Own): Effect.Effect<StoredRequest | undefined, SqlError> =>
      sql`SELECT ${shown} FROM requests WHERE ${sql.and([
        sql`request_id = ${requestId}`,
        ...(own === undefined ? [] : [sql`account_id = ${own.account}`, ...ofKeys(sql, own.keys)])
      ])} ORDER BY id DESC LIMIT 1`.pipe(
        Effect.flatMap((found) => withTasks(stored.all(found))),
        Effect.map(([row]) => row)
      )

    const costs = requestCost(sql)
    /** How its cost came about; undefined if nothing was charged, or not yet. */
    const costOf = ({ account_id, at, duration_ms, request_id, settled_at }: StoredRequest) =>
      costs(
        account_id,
        request_id,
        settled_at === null
          ? { fromMs: at - aroundMs, toMs: at + duration_ms + aroundMs }
          : { fromMs: settled_at, toMs: settled_at + 1 }
      )

    const { begunBy, ends, overAt } = requestIds(sql)
    const inSlices = requestSlices(sql)

    /**
     * A page, read in short statements, because rare rows may be far down the table and other statements must not wait. A
     * page may have fewer rows than the limit and still have a next one.
     *
     * @param before upper bound of ids, exclusive
     * @param after lower bound of ids, exclusive
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
      const conditions = matchConditions(sql, filter)
      const begins = filter.sinceMs === undefined ? all.first : yield* overAt(filter.sinceMs, all)
      const ending = filter.untilMs === undefined ? all.last + 1 : yield* begunBy(filter.untilMs, all)
      const first = Math.max(begins, after + 1)
      let until = Math.min(before ?? Infinity, ending)
      let lookedAt = 0
      yield* inSlices({ from: first, until, whose: whoseOf(filter), isDescending: true }, (within, slice) =>
        Effect.map(
          sql`SELECT ${shown} FROM requests WHERE ${sql.and([within, ...conditions])}
            ORDER BY id DESC LIMIT ${limit - found.length}`,
          (some) => {
            found.push(...stored.all(some))
            const oldestFound = found.at(-1)
            const isFull = found.length >= limit && oldestFound !== undefined
            until = isFull ? oldestFound.id : slice.from
            lookedAt += slice.rows
            return isFull || lookedAt >= mostLookedAt || some.length
          }
        )
      )
      return { data: yield* withTasks(found), next: until > first ? until : undefined }
    })

    /**
     * Deletes up to `batch` of the oldest rows that began before a time or exceed `mostRows`, and the calls of their
     * tools and tasks; returns the number of rows.
     */
    const removeOld = Effect.fnUntraced(function* (
      beforeMs: number,
      mostRows: number,
      batch: number
    ): Effect.fn.Return<number, SqlError> {
      const all = yield* ends
      const { first, last } = all ?? { first: 0, last: 0 }
      // Ids are nearly consecutive, so their range approximates the count.
      const surplus = last - first + 1 - mostRows
      const until = Math.min(first + Math.max(0, surplus), first + batch)
      const gone = removed.all(
        yield* commits.commit(
          sql`DELETE FROM requests WHERE id IN (SELECT id FROM requests
              WHERE id < ${first + batch} AND (at < ${beforeMs} OR id < ${until}) LIMIT ${batch}) RETURNING request_id`,
          "soon"
        )
      )
      const calledBefore = calls.ids.all(yield* commits.commit(calls.old(beforeMs, batch), "soon"))
      if (gone.length > 0) yield* commits.commit(ofTools.remove(gone.map(({ request_id }) => request_id)), "soon")
      const toolsBefore = ofTools.ids.all(yield* commits.commit(ofTools.old(beforeMs, batch), "soon"))
      return gone.length + calledBefore.length + toolsBefore.length
    })

    /** Erases up to `batch` results of calls that used up an approval before a time; returns their number. */
    const forgetResults = (beforeMs: number, batch: number): Effect.Effect<number, SqlError> =>
      Effect.map(
        commits.commit(ofTools.forget(beforeMs, batch), "soon"),
        (affected) => ofTools.ids.all(affected).length
      )

    return {
      find,
      bodies,
      costOf,
      list,
      count: requestCounts(sql),
      totals: requestTotals(sql),
      toolsOf: ofTools.ofRequest,
      removeOld,
      forgetResults
    } as const
  })
}) {}
