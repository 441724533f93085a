import { HttpApiClient, HttpClient, HttpClientRequest } from "@effect/platform"
import type { HttpClientError } from "@effect/platform"
import { Effect, Layer, Option, Redacted, Stream } from "effect"
import type { ParseResult } from "effect"
import { AdminApi } from "../../admin/Api.ts"
import type { Failure } from "../../contract/Failure.ts"
import { isoTime } from "../../admin/fields.ts"
import { ConsoleApi } from "../../console/Api.ts"
import { money } from "../../ledger/Money.ts"
import type { UsageQuestion } from "../../ledger/usageReportOf.ts"
import type { RequestFilter } from "../../requests/store/matching.ts"
import { overHttp, reasonOf } from "../overHttp.ts"
import { Operator, Unreachable } from "./Operator.ts"
import type { Answer, Operations } from "./Operator.ts"
import { followLogs } from "./followLogs.ts"
import { gathered, mostRows } from "./paging.ts"
import type { PageRequest } from "./paging.ts"
import { wholeUsage } from "./wholeUsage.ts"
import { accountPayload, keyPayload, present } from "./payloads.ts"
import { newOnes } from "./newOnes.ts"

/** A remote gateway. */
export interface Place {
  readonly url: string
  /** Its `GATEWAY_ADMIN_KEY`. */
  readonly key: Redacted.Redacted
}

type ClientFailure = Failure | HttpClientError.HttpClientError | ParseResult.ParseError

/** Operations by a remote gateway's admin API. */
export const remoteOperations = ({ key, url }: Place): Effect.Effect<Operations> =>
  Effect.gen(function* () {
    const options = {
      baseUrl: url,
      transformClient: (client: HttpClient.HttpClient) =>
        HttpClient.mapRequest(client, HttpClientRequest.bearerToken(key))
    }
    const { adminAccounts, adminConfigurations, adminKeys, adminOperations, adminOverview, adminPrices, adminWatch } =
      yield* HttpApiClient.make(AdminApi, options)
    const { adminSessions } = yield* HttpApiClient.make(ConsoleApi, options)
    const http = HttpClient.mapRequest(yield* HttpClient.HttpClient, (request) =>
      request.pipe(HttpClientRequest.prependUrl(url), HttpClientRequest.bearerToken(key))
    )

    /** Turns transport failures into `Unreachable`, with the gateway's address; its own failures pass. */
    const orUnreachable = <A>(effect: Effect.Effect<A, ClientFailure>): Answer<A> =>
      Effect.catchAll(effect, (failure): Effect.Effect<never, Failure | Unreachable> => {
        switch (failure._tag) {
          case "RequestError":
            return new Unreachable({ message: `${url} can't be reached: ${reasonOf(failure)}` })
          case "ResponseError":
            return new Unreachable({
              message: `${url} answered with status ${failure.response.status}: is it a gateway?`
            })
          case "ParseError":
            return new Unreachable({
              message: `${url} gave an answer that this version can't read: is it a gateway of another version?`
            })
          case "AuthInvalid":
          case "AuthMissing":
            return new Unreachable({ message: `${url} refuses GATEWAY_ADMIN_KEY: ${failure.message}` })
          default:
            return failure.message.startsWith("Invalid URL (")
              ? new Unreachable({
                  message: `${url} does not have this endpoint: it was started without GATEWAY_ADMIN_KEY, or is an older version`
                })
              : Effect.fail(failure)
        }
      })

    const listed = (filter: RequestFilter, page: PageRequest) =>
      orUnreachable(adminOperations.listRequests({ urlParams: { ...listParams(filter), ...page } }))

    const usagePage = (question: Omit<UsageQuestion, "limit" | "after">, page: PageRequest) =>
      orUnreachable(adminOperations.usage({ urlParams: { ...present(question), ...page } }))

    return {
      keys: {
        list: ({ all, limit, ...filter }) =>
          gathered(limit, (page) =>
            orUnreachable(adminKeys.list({ urlParams: { ...present(filter), all: all ? "true" : "false", ...page } }))
          ),
        show: (id) => orUnreachable(adminKeys.show({ path: { id } })),
        ofSecret: (part) =>
          Effect.map(orUnreachable(adminKeys.find({ payload: { secret: Redacted.value(part) } })), (found) => ({
            isWhole: found.match === "secret",
            keys: found.data
          })),
        create: ({ account, name, ...options }) =>
          Effect.map(
            orUnreachable(adminKeys.create({ payload: { account, name, ...keyPayload(options) } })),
            withSecret
          ),
        update: (id, { name, ...options }) =>
          orUnreachable(adminKeys.update({ path: { id }, payload: { ...present({ name }), ...keyPayload(options) } })),
        revoke: (id) =>
          Effect.gen(function* () {
            const before = yield* orUnreachable(adminKeys.show({ path: { id } }))
            const key = yield* orUnreachable(adminKeys.revoke({ path: { id } }))
            return { key, revoked: before.status !== "revoked" }
          }),
        rotateSecret: (id) => Effect.map(orUnreachable(adminKeys.rotateSecret({ path: { id } })), withSecret),
        resetBudgets: (id) => orUnreachable(adminKeys.resetBudgets({ path: { id } }))
      },
      accounts: {
        list: (limit) => gathered(limit, (page) => orUnreachable(adminAccounts.list({ urlParams: page }))),
        show: (id) => orUnreachable(adminAccounts.show({ path: { id } })),
        create: (id, { nanoUsd, ...options }) =>
          orUnreachable(
            adminAccounts.create({
              payload: {
                id,
                ...(nanoUsd === undefined ? {} : { balance_usd: money(nanoUsd).usd }),
                ...accountPayload(options)
              }
            })
          ),
        set: (id, { unmetered, ...options }) =>
          orUnreachable(
            adminAccounts.update({
              path: { id },
              payload: { ...present({ unmetered }), ...accountPayload(options) }
            })
          ),
        credit: (id, nanoUsd, note) =>
          orUnreachable(adminAccounts.credit({ path: { id }, payload: { usd: money(nanoUsd).usd, note } })),
        resetBudgets: (id) => orUnreachable(adminAccounts.resetBudgets({ path: { id } })),
        suspend: (id) => orUnreachable(adminAccounts.suspend({ path: { id } })),
        resume: (id) => orUnreachable(adminAccounts.resume({ path: { id } })),
        delete: (id) => orUnreachable(adminAccounts.delete({ path: { id } })),
        members: (id) =>
          gathered(Infinity, (page) =>
            orUnreachable(adminAccounts.members({ path: { id }, urlParams: { ...page, format: "json" } }))
          ),
        grantsOf: (id, limit) =>
          Effect.map(orUnreachable(adminAccounts.grants({ path: { id }, urlParams: { limit } })), ({ data }) => data)
      },
      tasks: {
        list: ({ account, callback, kind, limit, model, sinceMs, states }) =>
          gathered(limit, (page) =>
            orUnreachable(
              adminOperations.listTasks({
                urlParams: {
                  ...present({ account, callback, model, kind: kindOf(kind), state: states }),
                  since: isoTime(sinceMs),
                  ...page
                }
              })
            )
          ),
        show: (id) => orUnreachable(adminOperations.showTask({ path: { id } })),
        cancel: (id) =>
          Effect.map(orUnreachable(adminOperations.cancelTask({ path: { id } })), (task) => ({
            task,
            words:
              task.state === "cancelled"
                ? `Cancelled ${task.id}.`
                : `The server has not answered yet; ${task.id} is cancelled as soon as it can be.`
          }))
      },
      deliveries: {
        list: ({ account, limit, sinceMs, state, task }) =>
          gathered(limit, (page) =>
            orUnreachable(
              adminOperations.listDeliveries({
                urlParams: { ...present({ account, state, task }), since: isoTime(sinceMs), ...page }
              })
            )
          ),
        redeliver: (id) => orUnreachable(adminOperations.redeliver({ path: { id } }))
      },
      webhooks: {
        show: (id) => Effect.map(orUnreachable(adminAccounts.webhookSecrets({ path: { id } })), signing),
        rotate: (id) => Effect.map(orUnreachable(adminAccounts.rotateWebhookSecret({ path: { id } })), signing)
      },
      requests: {
        list: (filter, limit) => gathered(limit, (page) => listed(filter, page)),
        show: (id) => orUnreachable(adminOperations.showRequest({ path: { id } })),
        conversation: (account, conversation) =>
          orUnreachable(adminOperations.listRequests({ urlParams: { account, conversation } })),
        all: (filter) =>
          Stream.paginateEffect(undefined, (after: string | undefined) =>
            Effect.map(listed(filter, { limit: mostRows, ...present({ after }) }), ({ data, next }) => [
              data,
              Option.fromNullable(next)
            ])
          ),
        histogram: (filter, span) =>
          orUnreachable(
            adminOperations.requestHistogram({ urlParams: { ...requestParams(filter), ...present(span) } })
          ),
        follow: (filter) => newOnes((page) => listed(filter, page))
      },
      groups: ({ owner: _owner, ...asked }) => orUnreachable(adminOverview.groups({ urlParams: present(asked) })),
      costOn: (on, { owner: _owner, ...asked }) =>
        orUnreachable(adminOverview.cost({ urlParams: { ...present(asked), on } })),
      usage: ({ limit = 100, ...question }) => wholeUsage(limit, (page) => usagePage(question, page)),
      audit: {
        list: ({ account, action, actor, limit, sessions, sinceMs, target, untilMs }) =>
          gathered(limit, (page) =>
            orUnreachable(
              adminOperations.audit({
                urlParams: {
                  ...present({ account, action, actor, target }),
                  ...(sinceMs === undefined ? {} : { since: isoTime(sinceMs) }),
                  ...(untilMs === undefined ? {} : { until: isoTime(untilMs) }),
                  ...(sessions === false ? { sessions: "false" as const } : {}),
                  ...page
                }
              })
            )
          ),
        show: (id) => orUnreachable(adminOperations.showAudit({ path: { id: String(id) } }))
      },
      nodes: Effect.map(orUnreachable(adminOperations.nodes({})), ({ data }) => data),
      attention: Effect.map(orUnreachable(adminWatch.attention({})), ({ data }) => data),
      upstreams: Effect.map(orUnreachable(adminOperations.upstreams({})), ({ data }) => data),
      models: (since) =>
        Effect.map(orUnreachable(adminOperations.models({ urlParams: { since } })), ({ data }) => data),
      configuration: {
        apply: ({ document, note }) => orUnreachable(adminConfigurations.apply({ payload: { document, note } })),
        rollback: (version) =>
          orUnreachable(
            adminConfigurations.reapply({ path: { version: version === undefined ? "previous" : String(version) } })
          ),
        show: (version) =>
          orUnreachable(
            adminConfigurations.show({ path: { version: version === undefined ? "newest" : String(version) } })
          ),
        history: (limit) =>
          Effect.map(
            orUnreachable(adminConfigurations.list({ urlParams: { limit: Math.min(limit, mostRows) } })),
            ({ data }) => data
          )
      },
      prices: {
        refresh: (accept) => orUnreachable(adminPrices.refresh({ payload: { accept } })),
        reset: Effect.map(orUnreachable(adminPrices.reset({})), ({ deleted }) => deleted)
      },
      sessions: {
        list: (limit) => gathered(limit, (page) => orUnreachable(adminSessions.list({ urlParams: page }))),
        revoke: (id) => orUnreachable(adminSessions.revoke({ path: { id } }))
      },
      logs: {
        last: (query) => Effect.map(orUnreachable(adminWatch.logs({ urlParams: query })), ({ data }) => data),
        follow: (query) =>
          // A plain request first: its failures have a message, unlike those of the stream.
          Stream.fromEffect(orUnreachable(adminWatch.logs({ urlParams: { limit: 0 } }))).pipe(
            Stream.drain,
            Stream.concat(Stream.catchAll(followLogs(http, query), (failure) => orUnreachable(Effect.fail(failure)))),
            Stream.concat(Stream.fail(new Unreachable({ message: `${url} has ended the stream` })))
          )
      }
    } satisfies Operations
  }).pipe(overHttp(url))

/** Operations on a remote gateway. */
export const remoteOperator = (place: Place) => Layer.effect(Operator, remoteOperations(place))

const withSecret = <K>({ key, secret }: { readonly key: K; readonly secret: string }) => ({
  key,
  secret: Redacted.make(secret)
})

const signing = ({ account, secrets }: { readonly account: string; readonly secrets: ReadonlyArray<string> }) => ({
  account,
  secrets: secrets.map((secret) => Redacted.make(secret))
})

const kinds = ["message", "response", "video"] as const
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
