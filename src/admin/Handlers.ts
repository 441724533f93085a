import { Clock, Effect, Layer } from "effect"
import { actorOf } from "../contract/Acting.ts"
import { AccountId } from "../contract/Caller.ts"
import type { Caller } from "../contract/Caller.ts"
import { handlers } from "../contract/handlers.ts"
import { readTime } from "../contract/timeQuery.ts"
import { usageAnswer } from "../ledger/usageAnswer.ts"
import { AccountsHandlers } from "./AccountsHandlers.ts"
import { Administration } from "./Administration.ts"
import { ConfigurationsHandlers } from "./ConfigurationsHandlers.ts"
import { Feed } from "../feed/Feed.ts"
import { KeysHandlers } from "./KeysHandlers.ts"
import { makeLogs } from "./makeLogs.ts"
import { OverviewAdministration } from "./OverviewAdministration.ts"
import { OverviewHandlers } from "./OverviewHandlers.ts"
import { PricesHandlers } from "./PricesHandlers.ts"
import { makeOwned } from "./Owned.ts"
import { makeTestUpstream } from "./testUpstream.ts"
import { AdminWatchApi } from "./WatchApi.ts"
import { AdminOperationsApi } from "./OperationsApi.ts"
import { requestOf } from "../requests/ask.ts"
import { histogramOf } from "../requests/RequestHistogram.ts"
import { requestExport } from "../requests/requestExport.ts"
import { requestPage } from "../requests/RequestPage.ts"
import { filterOf } from "../requests/RequestQuery.ts"
import { RequestGroups } from "../requests/RequestGroups.ts"
import { Reports } from "../requests/Reports.ts"
import { paged } from "../contract/paging.ts"
import { TrafficCosts } from "../requests/TrafficCosts.ts"
import { Serving } from "./Serving.ts"
import { outcomeOf } from "./TaskAdministration.ts"

/** The longest wait for a task to be cancelled. */
const cancelPatienceMs = 15_000

const OperationsHandlers = handlers(
  AdminOperationsApi,
  Effect.map(
    Effect.all([Administration, Serving, makeOwned]),
    ([{ audit, deliveries, nodes, requests, reports, tasks, usage }, serving, owned]) => ({
      listTasks: ({ caller, urlParams }) =>
        Effect.flatMap(Effect.all([Clock.currentTimeMillis, owned.of(caller, urlParams.account)]), ([nowMs, own]) =>
          Effect.map(
            reports.ofKey(
              caller.key,
              tasks.list({
                account: own?.account ?? urlParams.account,
                keys: own?.keys,
                callback: urlParams.callback,
                kind: urlParams.kind,
                model: urlParams.model,
                states: urlParams.state,
                sinceMs: readTime(urlParams.since ?? "7d", nowMs) ?? nowMs,
                after: taskCursor(urlParams.after),
                limit: (urlParams.limit ?? 100) + 1
              })
            ),
            (rows) => paged(rows, urlParams, (last) => `${Date.parse(last.created_at)}.${last.id}`)
          )
        ),
      showTask: ({ caller, path }) => owned.record(caller, `no task "${path.id}"`, tasks.show(path.id)),
      cancelTask: ({ caller, path }) =>
        Effect.zipRight(
          owned.record(caller, `no task "${path.id}"`, tasks.show(path.id)),
          tasks.cancel(actorOf(caller), path.id, cancelPatienceMs)
        ).pipe(
          Effect.flatMap((answer) => outcomeOf(answer, true)),
          Effect.map(({ task }) => task)
        ),
      usage: ({ caller, request, urlParams: { account, ...question } }) =>
        Effect.flatMap(owned.of(caller, account), (own) => {
          const whose = own?.account ?? account
          return reports.ofKey(
            caller.key,
            usageAnswer(
              { ...question, account: whose === undefined ? undefined : AccountId.make(whose), keys: own?.keys },
              request.headers,
              (asked) => usage(asked, own === undefined)
            )
          )
        }),
      listRequests: ({ caller, urlParams }) =>
        Effect.flatMap(owned.of(caller, urlParams.account), (own) =>
          reports.ofKey(caller.key, requestPage(requests, urlParams, own))
        ),
      exportRequests: ({ caller, request, urlParams }) =>
        Effect.flatMap(owned.of(caller, urlParams.account), (own) =>
          requestExport(requests, urlParams, request, (read) => reports.ofKey(caller.key, read), own)
        ),
      requestHistogram: ({ caller, urlParams: { buckets, from, to, ...query } }) =>
        Effect.flatMap(owned.of(caller, query.account), (own) =>
          reports.ofKey(
            caller.key,
            histogramOf(requests, { ...filterOf(query), owner: own?.account, keys: own?.keys }, { buckets, from, to })
          )
        ),
      showRequest: ({ caller, path }) => shownRequest(owned, requests, caller, path.id),
      listDeliveries: ({ caller, urlParams: { account, after, limit = 100, since = "7d", state, task } }) =>
        Effect.flatMap(Effect.all([Clock.currentTimeMillis, owned.of(caller, account)]), ([nowMs, own]) => {
          const cursor = cursorOf(after)
          const page = {
            account: own?.account ?? account,
            state,
            task,
            sinceMs: readTime(since, nowMs) ?? nowMs,
            after: cursor === undefined ? undefined : { changedAtMs: cursor.atMs, id: cursor.id },
            limit: limit + 1
          }
          return Effect.map(reports.ofKey(caller.key, deliveries.list(page)), (rows) =>
            paged(rows, { limit }, (last) => `${Date.parse(last.created_at)}.${last.id}`)
          )
        }),
      redeliver: ({ caller, path }) =>
        Effect.zipRight(
          owned.record(caller, `no delivery "${path.id}"`, deliveries.show(path.id)),
          deliveries.redeliver(actorOf(caller), path.id)
        ),
      upstreams: () => Effect.map(serving.upstreams, wholeList),
      models: ({ caller, urlParams: { since } }) =>
        // Use is that of all accounts.
        reports.ofKey(caller.key, Effect.map(serving.models(seesAll(caller) ? since : undefined), wholeList)),
      nodes: () => Effect.map(nodes.list, wholeList),
      audit: ({ caller, urlParams: { after, limit = 100, sessions, since, until, ...same } }) =>
        Effect.flatMap(Effect.all([Clock.currentTimeMillis, owned.of(caller, same.account)]), ([nowMs, own]) => {
          const last = Number(after)
          const page = {
            ...same,
            ...own,
            sessions: sessions !== "false",
            sinceMs: since === undefined ? undefined : readTime(since, nowMs),
            untilMs: until === undefined ? undefined : readTime(until, nowMs, true),
            after: Number.isSafeInteger(last) ? last : undefined,
            limit: limit + 1
          }
          return reports.ofKey(
            caller.key,
            Effect.map(audit.list(page), (rows) => paged(rows, { limit }, ({ id }) => String(id)))
          )
        }),
      showAudit: ({ caller, path }) => Effect.flatMap(owned.of(caller), (own) => audit.find(Number(path.id), own))
    })
  )
)

const WatchHandlers = handlers(
  AdminWatchApi,
  Effect.map(
    Effect.all([OverviewAdministration, Feed, makeTestUpstream, makeLogs, Reports, makeOwned]),
    ([{ attention, overview }, feed, test, logs, reports, owned]) => ({
      attention: ({ caller }) => reports.ofKey(caller.key, Effect.map(attention, wholeList)),
      overview: ({ caller, urlParams }) =>
        Effect.flatMap(owned.of(caller), (own) => reports.ofKey(caller.key, overview(urlParams, own))),
      events: ({ caller, request, urlParams }) => feed.watch(request, owned.of(caller, urlParams.account)),
      testUpstream: ({ path }) => test(path.name),
      logs: ({ urlParams }) => Effect.sync(() => logs.last(urlParams)),
      followLogs: ({ request, urlParams }) => logs.follow(request, urlParams)
    })
  )
)

/** Handlers of the admin API. */
export const AdminHandlers = Layer.mergeAll(
  KeysHandlers,
  AccountsHandlers,
  OperationsHandlers,
  ConfigurationsHandlers,
  PricesHandlers,
  WatchHandlers.pipe(Layer.provide(Layer.merge(OverviewAdministration.Default, Reports.Default))),
  OverviewHandlers.pipe(Layer.provide(Layer.mergeAll(RequestGroups.Default, TrafficCosts.Default, Reports.Default)))
)

const cursorOf = (after: string | undefined) => {
  const [, at, id] = /^(\d{1,16})\.(.+)$/.exec(after ?? "") ?? []
  return at === undefined || id === undefined ? undefined : { atMs: Number(at), id }
}

const taskCursor = (after: string | undefined) => {
  const cursor = cursorOf(after)
  return cursor === undefined ? undefined : { createdAtMs: cursor.atMs, id: cursor.id }
}

const seesAll = ({ acting }: Caller): boolean => acting === undefined || acting.accounts === "all"

/** A request with its bodies, which an operator sees, and others where their role says so. */
const shownRequest = (
  owned: Effect.Effect.Success<typeof makeOwned>,
  requests: Administration["requests"],
  caller: Caller,
  id: string
) =>
  Effect.gen(function* () {
    const found = yield* requestOf(requests, id, yield* owned.of(caller))
    return caller.acting?.bodies === false ? { ...found, bodies: null } : found
  })

const wholeList = <A>(data: ReadonlyArray<A>) => ({ object: "list" as const, data, next: null })
