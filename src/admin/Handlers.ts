import { Clock, Effect, Layer, Redacted } from "effect"
import { AccountId } from "../contract/Caller.ts"
import { InvalidRequest } from "../contract/Failure.ts"
import { handlers } from "../contract/handlers.ts"
import { AddressGuard } from "../guard/AddressGuard.ts"
import { readTime } from "../contract/timeQuery.ts"
import { Ledger } from "../ledger/Ledger.ts"
import { usageAnswer } from "../ledger/usageAnswer.ts"
import { AdminAccountsApi } from "./AccountsApi.ts"
import { accountOptions, admitted } from "./accountOptions.ts"
import { Administration } from "./Administration.ts"
import { ConfigurationsHandlers } from "./ConfigurationsHandlers.ts"
import { nanoUsdOf, noLimits } from "./fields.ts"
import type { KeyOptions, KeyWithSecret } from "./KeyAdministration.ts"
import { Feed } from "../feed/Feed.ts"
import { withUnmatched } from "./KeyRecord.ts"
import type { KeyRecord } from "./KeyRecord.ts"
import { AdminKeysApi } from "./KeysApi.ts"
import type { KeySettings } from "./KeysApi.ts"
import { makeLogs } from "./makeLogs.ts"
import { OverviewAdministration } from "./OverviewAdministration.ts"
import { PricesHandlers } from "./PricesHandlers.ts"
import { makeTestUpstream } from "./testUpstream.ts"
import { AdminWatchApi } from "./WatchApi.ts"
import { AdminOperationsApi } from "./OperationsApi.ts"
import { requestOf } from "../requests/ask.ts"
import { histogramOf } from "../requests/RequestHistogram.ts"
import { filterOf, listFilterOf } from "../requests/RequestQuery.ts"
import { Searches } from "../requests/Searches.ts"
import { operatorView } from "../requests/RequestView.ts"
import { offsetOf, paged, pagedByOffset } from "../contract/paging.ts"
import { Serving } from "./Serving.ts"
import { outcomeOf } from "./TaskAdministration.ts"
import { signingRecord } from "./WebhookAdministration.ts"

/** The longest wait for a task to be cancelled. */
const cancelPatienceMs = 15_000

const KeysHandlers = handlers(
  AdminKeysApi,
  Effect.map(Effect.all([Administration, Serving, Ledger]), ([{ keys }, { unmatched }, { flush }]) => {
    const noted = (key: KeyRecord) => withUnmatched(key, unmatched)
    return {
      list: ({ urlParams }) =>
        Effect.map(
          keys.list({ account: urlParams.account, all: urlParams.all === "true", ...offsetOf(urlParams) }),
          (rows) => pagedByOffset(rows.map(noted), urlParams)
        ),
      create: ({ caller, payload }) =>
        Effect.flatMap(keyOptions(payload), (options) =>
          Effect.map(
            keys.create(caller.key, { ...options, account: payload.account, name: payload.name }),
            ({ key, secret }) => withSecret({ key: noted(key), secret })
          )
        ),
      show: ({ path }) => Effect.map(keys.show(path.id), noted),
      update: ({ caller, path, payload }) =>
        Effect.flatMap(keyOptions(payload), (options) =>
          Effect.map(
            keys.update(caller.key, path.id, { ...options, name: payload.name, version: payload.version }),
            noted
          )
        ),
      revoke: ({ caller, path }) => Effect.map(keys.revoke(caller.key, path.id), ({ key }) => key),
      rotateSecret: ({ caller, path }) => Effect.map(keys.rotateSecret(caller.key, path.id), withSecret),
      // Use that is not stored yet would count again.
      resetBudgets: ({ caller, path }) =>
        Effect.zipRight(flush, Effect.map(keys.resetBudgets(caller.key, path.id), noted))
    }
  })
)

const AccountsHandlers = handlers(
  AdminAccountsApi,
  Effect.map(
    Effect.all([Administration, Ledger, AddressGuard]),
    ([{ accounts, ending, webhooks }, { flush }, guard]) => ({
      list: ({ urlParams }) => Effect.map(accounts.list(offsetOf(urlParams)), (rows) => pagedByOffset(rows, urlParams)),
      create: ({ caller, payload }) =>
        Effect.zipRight(
          admitted(guard, payload),
          accounts.create(caller.key, payload.id, {
            ...accountOptions(payload),
            nanoUsd:
              payload.balance_usd === undefined || payload.balance_usd === null
                ? undefined
                : nanoUsdOf(payload.balance_usd)
          })
        ),
      show: ({ path }) => accounts.show(path.id),
      update: ({ caller, path, payload }) =>
        Effect.zipRight(
          admitted(guard, payload),
          accounts.set(caller.key, path.id, {
            ...accountOptions(payload),
            unmetered: payload.unmetered,
            version: payload.version
          })
        ),
      suspend: ({ caller, path }) => ending.suspend(caller.key, path.id),
      resume: ({ caller, path }) => ending.resume(caller.key, path.id),
      delete: ({ caller, path }) => ending.remove(caller.key, path.id),
      credit: ({ caller, path, payload }) => {
        const nanoUsd = nanoUsdOf(payload.usd)
        return nanoUsd === 0
          ? Effect.fail(new InvalidRequest({ param: "usd", message: "usd: expected an amount other than 0" }))
          : accounts.credit(caller.key, path.id, nanoUsd, payload.note ?? "")
      },
      resetBudgets: ({ caller, path }) => Effect.zipRight(flush, accounts.resetBudgets(caller.key, path.id)),
      grants: ({ path, urlParams }) =>
        Effect.map(accounts.grantsOf(path.id, urlParams.limit ?? 100), (data) => ({
          object: "list" as const,
          data,
          next: null
        })),
      webhookSecrets: ({ path }) => Effect.map(webhooks.show(path.id), signingRecord),
      rotateWebhookSecret: ({ caller, path }) => Effect.map(webhooks.rotate(caller.key, path.id), signingRecord)
    })
  )
)

const OperationsHandlers = handlers(
  AdminOperationsApi,
  Effect.map(
    Effect.all([Administration, Serving]),
    ([{ audit, deliveries, nodes, requests, searches, tasks, usage }, serving]) => ({
      listTasks: ({ caller, urlParams }) =>
        Effect.flatMap(Clock.currentTimeMillis, (nowMs) =>
          Effect.map(
            searches.ofKey(
              caller.key,
              tasks.list({
                account: urlParams.account,
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
      showTask: ({ path }) => tasks.show(path.id),
      cancelTask: ({ caller, path }) =>
        tasks.cancel(caller.key, path.id, cancelPatienceMs).pipe(
          Effect.flatMap((answer) => outcomeOf(answer, true)),
          Effect.map(({ task }) => task)
        ),
      usage: ({ caller, request, urlParams: { account, ...question } }) =>
        searches.ofKey(
          caller.key,
          usageAnswer(
            { ...question, account: account === undefined ? undefined : AccountId.make(account) },
            request.headers,
            usage
          )
        ),
      listRequests: ({ caller, urlParams: { after, limit = 100, ...query } }) =>
        Effect.flatMap(Clock.currentTimeMillis, (nowMs) => {
          const before = Number(after)
          const page = { before: Number.isSafeInteger(before) && after !== undefined ? before : undefined, limit }
          const rows = searches.ofKey(caller.key, Effect.orDie(requests.list(listFilterOf(query, nowMs), page)))
          return Effect.map(rows, ({ data, next }) => ({
            object: "list" as const,
            data: data.map(operatorView),
            next: next === undefined ? null : String(next)
          }))
        }),
      requestHistogram: ({ caller, urlParams: { buckets, from, to, ...query } }) =>
        searches.ofKey(caller.key, histogramOf(requests, filterOf(query), { buckets, from, to })),
      showRequest: ({ path }) => requestOf(requests, path.id),
      listDeliveries: ({ caller, urlParams: { account, after, limit = 100, since = "7d", state, task } }) =>
        Effect.flatMap(Clock.currentTimeMillis, (nowMs) => {
          const cursor = cursorOf(after)
          const page = {
            account,
            state,
            task,
            sinceMs: readTime(since, nowMs) ?? nowMs,
            after: cursor === undefined ? undefined : { changedAtMs: cursor.atMs, id: cursor.id },
            limit: limit + 1
          }
          return Effect.map(searches.ofKey(caller.key, deliveries.list(page)), (rows) =>
            paged(rows, { limit }, (last) => `${Date.parse(last.created_at)}.${last.id}`)
          )
        }),
      redeliver: ({ caller, path }) => deliveries.redeliver(caller.key, path.id),
      upstreams: () => Effect.map(serving.upstreams, wholeList),
      models: () => Effect.map(serving.models, wholeList),
      nodes: () => Effect.map(nodes.list, wholeList),
      audit: ({ urlParams: { after, limit = 100, sessions, since, until, ...same } }) =>
        Effect.flatMap(Clock.currentTimeMillis, (nowMs) => {
          const last = Number(after)
          const page = {
            ...same,
            sessions: sessions !== "false",
            sinceMs: since === undefined ? undefined : readTime(since, nowMs),
            untilMs: until === undefined ? undefined : readTime(until, nowMs, true),
            after: Number.isSafeInteger(last) ? last : undefined,
            limit: limit + 1
          }
          return Effect.map(audit.list(page), (rows) => paged(rows, { limit }, ({ id }) => String(id)))
        }),
      showAudit: ({ path }) => audit.find(Number(path.id))
    })
  )
)

const WatchHandlers = handlers(
  AdminWatchApi,
  Effect.map(
    Effect.all([OverviewAdministration, Feed, makeTestUpstream, makeLogs, Searches]),
    ([{ overview }, feed, test, logs, searches]) => ({
      overview: ({ caller, urlParams }) => searches.ofKey(caller.key, overview(urlParams)),
      events: ({ request }) => feed.watch(request),
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
  WatchHandlers.pipe(Layer.provide(Layer.merge(OverviewAdministration.Default, Searches.Default)))
)

const withSecret = ({ key, secret }: KeyWithSecret) => ({ key, secret: Redacted.value(secret) })

const keyOptions = (settings: KeySettings): Effect.Effect<KeyOptions, InvalidRequest> =>
  Effect.map(budgetsIn(settings), (budgets) => {
    const { expires_at, limits, unpriced, ...rules } = settings
    return {
      models: rules.models === null ? ["*"] : rules.models,
      notModels: rules.not_models === null ? [] : rules.not_models,
      upstreams: rules.upstreams,
      choosesRoute: rules.choose_route === null ? false : rules.choose_route,
      limits: limits === null ? noLimits : limits,
      unpriced,
      budgets,
      expiresAtMs: expires_at === undefined || expires_at === null ? expires_at : Date.parse(expires_at)
    }
  })

/** `budget` is short for `budgets` with one entry. */
const budgetsIn = ({ budget, budgets }: KeySettings): Effect.Effect<KeyOptions["budgets"], InvalidRequest> => {
  const complain = (message: string) =>
    Effect.fail(new InvalidRequest({ param: "budget", message: `budget: ${message}` }))
  if (budget === undefined) return Effect.succeed(budgets)
  if (budgets !== undefined) return complain("expected either budget or budgets")
  if (budget === null) return Effect.succeed(null)
  return nanoUsdOf(budget.usd) <= 0
    ? complain("expected more than 0; revoke a key that is to spend nothing")
    : Effect.succeed([{ usd: budget.usd, per: budget.period }])
}

const cursorOf = (after: string | undefined) => {
  const [, at, id] = /^(\d{1,16})\.(.+)$/.exec(after ?? "") ?? []
  return at === undefined || id === undefined ? undefined : { atMs: Number(at), id }
}

const taskCursor = (after: string | undefined) => {
  const cursor = cursorOf(after)
  return cursor === undefined ? undefined : { createdAtMs: cursor.atMs, id: cursor.id }
}

const wholeList = <A>(data: ReadonlyArray<A>) => ({ object: "list" as const, data, next: null })
