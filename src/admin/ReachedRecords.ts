import { Clock, Effect } from "effect"
import { actorOf } from "../contract/callers/Acting.ts"
import { AccountId } from "../contract/callers/Caller.ts"
import type { Caller } from "../contract/callers/Caller.ts"
import type { Incoming } from "../contract/handlers.ts"
import { toPage } from "../contract/paging.ts"
import { readTime } from "../contract/timeQuery.ts"
import { usageAnswer } from "../ledger/usageAnswer.ts"
import { requestOf } from "../requests/ask.ts"
import { requestExport } from "../requests/requestExport.ts"
import { histogramOf } from "../requests/RequestHistogram.ts"
import { requestPage } from "../requests/RequestPage.ts"
import { filterOf } from "../requests/RequestQuery.ts"
import { Administration } from "./Administration.ts"
import type {
  AuditQuery,
  DeliveriesQuery,
  ExportQuery,
  HistogramQuery,
  RequestsQuery,
  TaskQuery,
  UsageQuery
} from "./OperationsApi.ts"
import { makeOwned } from "./Owned.ts"
import { outcomeOf } from "./TaskAdministration.ts"

/** The longest wait for a task to be cancelled. */
const cancelPatienceMs = 15_000

/**
 * Tasks, requests, usage, callbacks and changes in a caller's reach: another's is answered as an unknown one.
 * @param isServed true while a gateway serves from the database, which cancels tasks
 */
export const makeReachedRecords = (isServed: Effect.Effect<boolean>) =>
  Effect.map(
    Effect.all([Administration, makeOwned]),
    ([{ audit, deliveries, reports, requests, tasks, usage }, owned]) => {
      const listTasks = (caller: Caller, query: TaskQuery) =>
        Effect.gen(function* () {
          const nowMs = yield* Clock.currentTimeMillis
          const own = yield* owned.of(caller, query.account)
          const rows = tasks.list({
            account: own?.account ?? query.account,
            keys: own?.keys,
            callback: query.callback,
            kind: query.kind,
            model: query.model,
            states: query.state,
            sinceMs: readTime(query.since ?? "7d", nowMs) ?? nowMs,
            after: taskCursor(query.after),
            limit: (query.limit ?? 100) + 1
          })
          return toPage(yield* reports.ofKey(caller.key, rows), query, cursorTo)
        })

      const showTask = (caller: Caller, id: string) => owned.record(caller, `no task "${id}"`, tasks.show(id))

      const cancelTask = (caller: Caller, id: string) =>
        Effect.gen(function* () {
          yield* showTask(caller, id)
          return yield* outcomeOf(yield* tasks.cancel(actorOf(caller), id, (yield* isServed) ? cancelPatienceMs : 0))
        })

      const usageOf = (caller: Caller, { account, ...question }: UsageQuery, headers: Headers) =>
        Effect.gen(function* () {
          const own = yield* owned.of(caller, account)
          const owner = own?.account ?? account
          const query = {
            ...question,
            account: owner === undefined ? undefined : AccountId.make(owner),
            keys: own?.keys
          }
          return yield* reports.ofKey(
            caller.key,
            usageAnswer(query, headers, (one) => usage(one, own === undefined))
          )
        })

      const listRequests = (caller: Caller, query: RequestsQuery) =>
        Effect.flatMap(owned.of(caller, query.account), (own) =>
          reports.ofKey(caller.key, requestPage(requests, query, own))
        )

      const exportRequests = (caller: Caller, query: ExportQuery, request: Incoming) =>
        Effect.flatMap(owned.of(caller, query.account), (own) =>
          requestExport(requests, query, request, (read) => reports.ofKey(caller.key, read), own)
        )

      const requestHistogram = (caller: Caller, { buckets, from, to, ...query }: HistogramQuery) =>
        Effect.gen(function* () {
          const own = yield* owned.of(caller, query.account)
          const filter = { ...filterOf(query), owner: own?.account, keys: own?.keys }
          return yield* reports.ofKey(caller.key, histogramOf(requests, filter, { buckets, from, to }))
        })

      /** A request with its bodies, which an operator sees, and others where their role says so. */
      const showRequest = (caller: Caller, id: string) =>
        Effect.gen(function* () {
          const found = yield* requestOf(requests, id, yield* owned.of(caller))
          return caller.acting?.bodies === false ? { ...found, bodies: null } : found
        })

      const listDeliveries = (caller: Caller, query: DeliveriesQuery) =>
        Effect.gen(function* () {
          const nowMs = yield* Clock.currentTimeMillis
          const own = yield* owned.of(caller, query.account)
          const cursor = cursorOf(query.after)
          const rows = deliveries.list({
            account: own?.account ?? query.account,
            state: query.state,
            task: query.task,
            sinceMs: readTime(query.since ?? "7d", nowMs) ?? nowMs,
            after: cursor === undefined ? undefined : { changedAtMs: cursor.atMs, id: cursor.id },
            limit: (query.limit ?? 100) + 1
          })
          return toPage(yield* reports.ofKey(caller.key, rows), query, cursorTo)
        })

      const redeliver = (caller: Caller, id: string) =>
        Effect.zipRight(
          owned.record(caller, `no delivery "${id}"`, deliveries.show(id)),
          deliveries.redeliver(actorOf(caller), id)
        )

      const listAudit = (caller: Caller, { after, limit, sessions, since, until, ...filter }: AuditQuery) =>
        Effect.gen(function* () {
          const nowMs = yield* Clock.currentTimeMillis
          const own = yield* owned.of(caller, filter.account)
          const last = Number(after)
          const rows = audit.list({
            ...filter,
            ...own,
            sessions: sessions !== "false",
            sinceMs: since === undefined ? undefined : readTime(since, nowMs),
            untilMs: until === undefined ? undefined : readTime(until, nowMs, true),
            after: Number.isSafeInteger(last) ? last : undefined,
            limit: (limit ?? 100) + 1
          })
          return toPage(yield* reports.ofKey(caller.key, rows), { limit }, ({ id }) => String(id))
        })

      const showAudit = (caller: Caller, id: string) =>
        Effect.flatMap(owned.of(caller), (own) => audit.find(Number(id), own))

      return {
        listTasks,
        showTask,
        cancelTask,
        usage: usageOf,
        listRequests,
        exportRequests,
        requestHistogram,
        showRequest,
        listDeliveries,
        redeliver,
        listAudit,
        showAudit
      } as const
    }
  )

const cursorTo = (last: { readonly created_at: string; readonly id: string }): string =>
  `${Date.parse(last.created_at)}.${last.id}`

const cursorOf = (after: string | undefined) => {
  const [, at, id] = /^(\d{1,16})\.(.+)$/.exec(after ?? "") ?? []
  return at === undefined || id === undefined ? undefined : { atMs: Number(at), id }
}

const taskCursor = (after: string | undefined) => {
  const cursor = cursorOf(after)
  return cursor === undefined ? undefined : { createdAtMs: cursor.atMs, id: cursor.id }
}
