import { Effect, Option, Redacted, Stream } from "effect"
import type { AccountOptions } from "../../admin/AccountAdministration.ts"
import { isoTime } from "../../admin/fields.ts"
import type { KeyOptions } from "../../admin/KeyAdministration.ts"
import type { KeyRecord } from "../../admin/KeyRecord.ts"
import type { LogQuery } from "../../admin/LogLines.ts"
import type { AuditFilter } from "../../admin/store/Audit.ts"
import type { TaskSummary } from "../../admin/TaskSummary.ts"
import type { DeliveryPage } from "../../callbacks/store/DeliveryList.ts"
import { BadSettings } from "../../config/document.ts"
import { money } from "../../ledger/Money.ts"
import type { UsageQuestion } from "../../ledger/usageReportOf.ts"
import type { GroupsAsked } from "../../requests/RequestGroups.ts"
import type { HistogramAsked } from "../../requests/RequestHistogram.ts"
import type { RequestFilter } from "../../requests/store/matchConditions.ts"
import type { TrafficAsked } from "../../requests/TrafficCosts.ts"
import type { TaskPage } from "../../tasks/TaskSummary.ts"
import type { AdminGateway } from "./client.ts"
import { newOnes } from "./newOnes.ts"
import { gatherRows, mostRows } from "./paging.ts"
import type { PageRequest } from "./paging.ts"
import { accountPayload, keyPayload, present } from "./payloads.ts"
import { wholeUsage } from "./wholeUsage.ts"

export interface KeyFilter {
  readonly account?: string | undefined
  /** Include revoked and expired keys. */
  readonly all: boolean
  readonly status?: KeyRecord["status"] | undefined
  readonly search?: string | undefined
  readonly limit: number
}

export interface NewDocument {
  readonly name: string
  readonly document: string
  readonly note: string | null
}

/** The operations behind commands, on a gateway's admin API. Lists have at most `limit` rows. */
export const operationsOn = ({ client, followLogs, isServed }: AdminGateway) => {
  const { adminAccounts, adminConfigurations, adminKeys, adminOperations } = client
  const { adminOverview, adminPrices, adminSessions, adminTools, adminWatch } = client
  const listed = (filter: RequestFilter, page: PageRequest) =>
    adminOperations.listRequests({ urlParams: { ...listParams(filter), ...page } })
  return {
    keys: {
      list: ({ all, limit, ...filter }: KeyFilter) =>
        gatherRows(limit, (page) =>
          adminKeys.list({ urlParams: { ...present(filter), all: all ? "true" : "false", ...page } })
        ),
      show: (id: string) => adminKeys.show({ path: { id } }),
      /** @param part of a secret */
      ofSecret: (part: Redacted.Redacted) =>
        Effect.map(adminKeys.find({ payload: { secret: Redacted.value(part) } }), (found) => ({
          isWhole: found.match === "secret",
          keys: found.data
        })),
      create: ({ account, name, ...options }: KeyOptions & { readonly account: string; readonly name: string }) =>
        Effect.map(adminKeys.create({ payload: { account, name, ...keyPayload(options) } }), withSecret),
      update: (id: string, { name, ...options }: KeyOptions) =>
        adminKeys.update({ path: { id }, payload: { ...present({ name }), ...keyPayload(options) } }),
      /** `revoked` is false if the key was revoked before. */
      revoke: (id: string) =>
        Effect.gen(function* () {
          const before = yield* adminKeys.show({ path: { id } })
          const key = yield* adminKeys.revoke({ path: { id } })
          return { key, revoked: before.status !== "revoked" }
        }),
      rotateSecret: (id: string, overlapMs = 0) =>
        Effect.map(
          adminKeys.rotateSecret({
            path: { id },
            payload: overlapMs === 0 ? {} : { overlap_hours: overlapMs / 3_600_000 }
          }),
          withSecret
        ),
      resetBudgets: (id: string) => adminKeys.resetBudgets({ path: { id } })
    },
    accounts: {
      list: (limit: number) => gatherRows(limit, (page) => adminAccounts.list({ urlParams: page })),
      show: (id: string) => adminAccounts.show({ path: { id } }),
      create: (id: string, { nanoUsd, ...options }: AccountOptions & { readonly nanoUsd?: number | undefined }) =>
        adminAccounts.create({
          payload: {
            id,
            ...(nanoUsd === undefined ? {} : { balance_usd: money(nanoUsd).usd }),
            ...accountPayload(options)
          }
        }),
      set: (id: string, { unmetered, ...options }: AccountOptions & { readonly unmetered?: boolean | undefined }) =>
        adminAccounts.update({
          path: { id },
          payload: { ...present({ unmetered }), ...accountPayload(options) }
        }),
      credit: (id: string, nanoUsd: number, note: string) =>
        adminAccounts.credit({ path: { id }, payload: { usd: money(nanoUsd).usd, note } }),
      resetBudgets: (id: string) => adminAccounts.resetBudgets({ path: { id } }),
      suspend: (id: string) => adminAccounts.suspend({ path: { id } }),
      resume: (id: string) => adminAccounts.resume({ path: { id } }),
      delete: (id: string) => adminAccounts.delete({ path: { id } }),
      members: (id: string) =>
        gatherRows(Infinity, (page) => adminAccounts.members({ path: { id }, urlParams: { ...page, format: "json" } })),
      grantsOf: (id: string, limit: number) =>
        Effect.map(adminAccounts.grants({ path: { id }, urlParams: { limit } }), ({ data }) => data)
    },
    tasks: {
      list: ({ account, callback, kind, limit, model, sinceMs, states }: TaskPage) =>
        gatherRows(limit, (page) =>
          adminOperations.listTasks({
            urlParams: {
              ...present({ account, callback, model, kind: kindOf(kind), state: states }),
              since: isoTime(sinceMs),
              ...page
            }
          })
        ),
      show: (id: string) => adminOperations.showTask({ path: { id } }),
      /** The task after the cancellation, and a sentence for the user. */
      cancel: (id: string) =>
        Effect.flatMap(adminOperations.cancelTask({ path: { id } }), (task) =>
          Effect.map(isServed, (isServed) => ({ task, words: cancelText(task, isServed) }))
        )
    },
    deliveries: {
      list: ({ account, limit, sinceMs, state, task }: DeliveryPage) =>
        gatherRows(limit, (page) =>
          adminOperations.listDeliveries({
            urlParams: { ...present({ account, state, task }), since: isoTime(sinceMs), ...page }
          })
        ),
      redeliver: (id: string) => adminOperations.redeliver({ path: { id } })
    },
    webhooks: {
      show: (id: string) => Effect.map(adminAccounts.webhookSecrets({ path: { id } }), signing),
      rotate: (id: string) => Effect.map(adminAccounts.rotateWebhookSecret({ path: { id } }), signing)
    },
    requests: {
      list: (filter: RequestFilter, limit: number) => gatherRows(limit, (page) => listed(filter, page)),
      show: (id: string) => adminOperations.showRequest({ path: { id } }),
      /** The newest requests of a conversation, with the sums of all. */
      conversation: (account: string, conversation: string) =>
        adminOperations.listRequests({ urlParams: { account, conversation } }),
      /** All matching requests, newest first, some hundreds at a time. */
      all: (filter: RequestFilter) =>
        Stream.paginateEffect(undefined, (after: string | undefined) =>
          Effect.map(
            listed(filter, { limit: mostRows, ...present({ after }) }),
            ({ data, next }) => [data, Option.fromNullable(next)] as const
          )
        ),
      histogram: (filter: RequestFilter, span: HistogramAsked) =>
        adminOperations.requestHistogram({ urlParams: { ...requestParams(filter), ...present(span) } }),
      /** Each run of the inner effect gives the requests that ended since the last run, oldest first. */
      follow: (filter: RequestFilter) => newOnes((page) => listed(filter, page))
    },
    /** The figures of groups beside the period before. */
    groups: ({ owner: _owner, ...asked }: GroupsAsked) => adminOverview.groups({ urlParams: present(asked) }),
    /** The cost of past traffic on another model. */
    costOn: (on: string, { owner: _owner, ...asked }: TrafficAsked) =>
      adminOverview.cost({ urlParams: { ...present(asked), on } }),
    usage: ({ limit = 100, ...question }: UsageQuestion) =>
      wholeUsage(limit, (page) => adminOperations.usage({ urlParams: { ...present(question), ...page } })),
    audit: {
      list: ({ account, action, actor, limit, sessions, sinceMs, target, untilMs }: AuditFilter) =>
        gatherRows(limit, (page) =>
          adminOperations.audit({
            urlParams: {
              ...present({ account, action, actor, target }),
              ...(sinceMs === undefined ? {} : { since: isoTime(sinceMs) }),
              ...(untilMs === undefined ? {} : { until: isoTime(untilMs) }),
              ...(sessions === false ? { sessions: "false" as const } : {}),
              ...page
            }
          })
        ),
      show: (id: number) => adminOperations.showAudit({ path: { id: String(id) } })
    },
    nodes: Effect.map(adminOperations.nodes({}), ({ data }) => data),
    attention: Effect.map(adminWatch.attention({}), ({ data }) => data),
    upstreams: Effect.map(adminOperations.upstreams({}), ({ data }) => data),
    /** MCP servers. `test` asks one for its tools. */
    tools: {
      list: Effect.map(adminTools.list({ urlParams: {} }), ({ data }) => data),
      test: (server: string) => adminTools.test({ path: { server } })
    },
    /** @param since the start of the use to report, as `TimeQuery` */
    models: (since: string) => Effect.map(adminOperations.models({ urlParams: { since } }), ({ data }) => data),
    configuration: {
      /** The name is the document's in messages of this process. One elsewhere does not send the field. */
      apply: ({ document, name, note }: NewDocument) =>
        Effect.mapError(adminConfigurations.apply({ payload: { document, note } }), (failure) =>
          failure._tag === "InvalidRequest" && failure.param === "document"
            ? new BadSettings({ message: failure.message.replace(/^document(?=:)/, () => name) })
            : failure
        ),
      rollback: (version: number | undefined) =>
        adminConfigurations.reapply({ path: { version: version === undefined ? "previous" : String(version) } }),
      show: (version: number | undefined) =>
        adminConfigurations.show({ path: { version: version === undefined ? "newest" : String(version) } }),
      history: (limit: number) =>
        Effect.map(adminConfigurations.list({ urlParams: { limit: Math.min(limit, mostRows) } }), ({ data }) => data)
    },
    prices: {
      /** @param accept true to use prices that moved more than tenfold, too */
      refresh: (accept: boolean) => adminPrices.refresh({ payload: { accept } }),
      /** False if there was none. */
      reset: Effect.map(adminPrices.reset({}), ({ deleted }) => deleted)
    },
    sessions: {
      list: (limit: number) => gatherRows(limit, (page) => adminSessions.list({ urlParams: page })),
      revoke: (id: string) => adminSessions.revoke({ path: { id } })
    },
    logs: {
      last: (query: LogQuery) => Effect.map(adminWatch.logs({ urlParams: query }), ({ data }) => data),
      follow: followLogs
    }
  }
}

const withSecret = <K>({ key, secret }: { readonly key: K; readonly secret: string }) => ({
  key,
  secret: Redacted.make(secret)
})

const signing = ({ account, secrets }: { readonly account: string; readonly secrets: ReadonlyArray<string> }) => ({
  account,
  secrets: secrets.map((secret) => Redacted.make(secret))
})

const cancelText = ({ id, state }: TaskSummary, isServed: boolean): string => {
  if (state === "cancelled") return `Cancelled ${id}.`
  return isServed
    ? `The server has not answered yet; ${id} is cancelled as soon as it can be.`
    : `No gateway runs on this database; ${id} is cancelled at its next start.`
}

const kinds = ["message", "response", "video", "batch"] as const
const kindOf = (kind: string | undefined) => kinds.find((one) => one === kind)

const requestParams = ({ owner: _owner, sinceMs: _since, status, untilMs: _until, ...same }: RequestFilter) => ({
  ...present(same),
  ...(status === undefined ? {} : { status: status < 10 ? `${status}xx` : String(status) })
})

const listParams = ({ sinceMs, untilMs, ...filter }: RequestFilter) => ({
  ...requestParams(filter),
  ...(sinceMs === undefined ? {} : { since: isoTime(sinceMs) }),
  ...(untilMs === undefined ? {} : { until: isoTime(untilMs) })
})
