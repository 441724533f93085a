import { FetchHttpClient, HttpApiClient, HttpClient, HttpClientRequest } from "@effect/platform"
import type { HttpClientError } from "@effect/platform"
import { Effect, Layer, Redacted, Stream } from "effect"
import type { ParseResult } from "effect"
import { AdminApi } from "../../admin/Api.ts"
import type { Failure } from "../../contract/Failure.ts"
import { isoTime } from "../../admin/fields.ts"
import { ConsoleApi } from "../../console/Api.ts"
import { money } from "../../ledger/Money.ts"
import type { UsageQuestion } from "../../ledger/usageReportOf.ts"
import type { RequestFilter } from "../../requests/store/matching.ts"
import { Operator, Unreachable } from "./Operator.ts"
import type { Answer, Operations } from "./Operator.ts"
import { followLogs } from "./followLogs.ts"
import { gathered, mostRows } from "./paging.ts"
import type { PageRequest } from "./paging.ts"
import { wholeUsage } from "./wholeUsage.ts"
import { accountPayload, keyPayload, present } from "./payloads.ts"
import { newOnes } from "./newOnes.ts"

/** A gateway elsewhere. */
export interface Place {
  readonly url: string
  /** Its `GATEWAY_ADMIN_KEY`. */
  readonly key: Redacted.Redacted
}

type ClientFailure = Failure | HttpClientError.HttpClientError | ParseResult.ParseError

/** What commands do, by the admin API of a gateway elsewhere. */
export const remoteOperations = ({ key, url }: Place): Effect.Effect<Operations> =>
  Effect.gen(function* () {
    const there = {
      baseUrl: url,
      transformClient: (client: HttpClient.HttpClient) =>
        HttpClient.mapRequest(client, HttpClientRequest.bearerToken(key))
    }
    const { adminAccounts, adminConfigurations, adminKeys, adminOperations, adminWatch } = yield* HttpApiClient.make(
      AdminApi,
      there
    )
    const { adminSessions } = yield* HttpApiClient.make(ConsoleApi, there)
    const http = HttpClient.mapRequest(yield* HttpClient.HttpClient, (request) =>
      request.pipe(HttpClientRequest.prependUrl(url), HttpClientRequest.bearerToken(key))
    )

    /** What is not the gateway's own word is told with where it was asked. */
    const told = <A>(effect: Effect.Effect<A, ClientFailure>): Answer<A> =>
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
              message: `${url} answered in a way that this version does not understand: is it a gateway of another version?`
            })
          case "AuthInvalid":
          case "AuthMissing":
            return new Unreachable({ message: `${url} refuses GATEWAY_ADMIN_KEY: ${failure.message}` })
          default:
            return failure.message.startsWith("Invalid URL (")
              ? new Unreachable({
                  message: `${url} has no such thing in its admin API: it was started without GATEWAY_ADMIN_KEY, or is older`
                })
              : Effect.fail(failure)
        }
      })

    const listed = (filter: RequestFilter, page: PageRequest) =>
      told(adminOperations.listRequests({ urlParams: { ...listParams(filter), ...page } }))

    const usagePage = (question: Omit<UsageQuestion, "limit" | "after">, page: PageRequest) =>
      told(adminOperations.usage({ urlParams: { ...present(question), ...page } }))

    return {
      keys: {
        list: ({ account, all, limit }) =>
          gathered(limit, (page) =>
            told(adminKeys.list({ urlParams: { ...present({ account }), all: all ? "true" : "false", ...page } }))
          ),
        show: (id) => told(adminKeys.show({ path: { id } })),
        create: ({ account, name, ...options }) =>
          Effect.map(told(adminKeys.create({ payload: { account, name, ...keyPayload(options) } })), withSecret),
        update: (id, { name, ...options }) =>
          told(adminKeys.update({ path: { id }, payload: { ...present({ name }), ...keyPayload(options) } })),
        revoke: (id) =>
          Effect.gen(function* () {
            const before = yield* told(adminKeys.show({ path: { id } }))
            const key = yield* told(adminKeys.revoke({ path: { id } }))
            return { key, revoked: before.status !== "revoked" }
          }),
        rotateSecret: (id) => Effect.map(told(adminKeys.rotateSecret({ path: { id } })), withSecret)
      },
      accounts: {
        list: (limit) => gathered(limit, (page) => told(adminAccounts.list({ urlParams: page }))),
        show: (id) => told(adminAccounts.show({ path: { id } })),
        create: (id, { nanoUsd, ...options }) =>
          told(
            adminAccounts.create({
              payload: {
                id,
                ...(nanoUsd === undefined ? {} : { balance_usd: money(nanoUsd).usd }),
                ...accountPayload(options)
              }
            })
          ),
        set: (id, { unmetered, ...options }) =>
          told(
            adminAccounts.update({
              path: { id },
              payload: { ...present({ unmetered }), ...accountPayload(options) }
            })
          ),
        credit: (id, nanoUsd, note) =>
          told(adminAccounts.credit({ path: { id }, payload: { usd: money(nanoUsd).usd, note } })),
        suspend: (id) => told(adminAccounts.suspend({ path: { id } })),
        resume: (id) => told(adminAccounts.resume({ path: { id } })),
        delete: (id) => told(adminAccounts.delete({ path: { id } })),
        grantsOf: (id, limit) =>
          Effect.map(told(adminAccounts.grants({ path: { id }, urlParams: { limit } })), ({ data }) => data)
      },
      tasks: {
        list: ({ account, callback, kind, limit, model, sinceMs, states }) =>
          gathered(limit, (page) =>
            told(
              adminOperations.listTasks({
                urlParams: {
                  ...present({ account, callback, model, kind: kindOf(kind), state: states }),
                  since: isoTime(sinceMs),
                  ...page
                }
              })
            )
          ),
        show: (id) => told(adminOperations.showTask({ path: { id } })),
        cancel: (id) =>
          Effect.map(told(adminOperations.cancelTask({ path: { id } })), (task) => ({
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
            told(
              adminOperations.listDeliveries({
                urlParams: { ...present({ account, state, task }), since: isoTime(sinceMs), ...page }
              })
            )
          ),
        redeliver: (id) => told(adminOperations.redeliver({ path: { id } }))
      },
      webhooks: {
        show: (id) => Effect.map(told(adminAccounts.webhookSecrets({ path: { id } })), signing),
        rotate: (id) => Effect.map(told(adminAccounts.rotateWebhookSecret({ path: { id } })), signing)
      },
      requests: {
        list: (filter, limit) => gathered(limit, (page) => listed(filter, page)),
        show: (id) => told(adminOperations.showRequest({ path: { id } })),
        histogram: (filter, asked) =>
          told(adminOperations.requestHistogram({ urlParams: { ...requestParams(filter), ...present(asked) } })),
        follow: (filter) => newOnes((page) => listed(filter, page))
      },
      usage: ({ limit = 100, ...question }) => wholeUsage(limit, (page) => usagePage(question, page)),
      audit: ({ action, limit, target }) =>
        gathered(limit, (page) =>
          told(adminOperations.audit({ urlParams: { ...present({ action, target }), ...page } }))
        ),
      nodes: Effect.map(told(adminOperations.nodes({})), ({ data }) => data),
      upstreams: Effect.map(told(adminOperations.upstreams({})), ({ data }) => data),
      models: Effect.map(told(adminOperations.models({})), ({ data }) => data),
      configuration: {
        apply: ({ document, note }) => told(adminConfigurations.apply({ payload: { document, note } })),
        rollback: (version) =>
          told(
            adminConfigurations.reapply({ path: { version: version === undefined ? "previous" : String(version) } })
          ),
        show: (version) =>
          told(adminConfigurations.show({ path: { version: version === undefined ? "newest" : String(version) } })),
        history: (limit) =>
          Effect.map(
            told(adminConfigurations.list({ urlParams: { limit: Math.min(limit, mostRows) } })),
            ({ data }) => data
          )
      },
      sessions: {
        list: (limit) => gathered(limit, (page) => told(adminSessions.list({ urlParams: page }))),
        revoke: (id) => told(adminSessions.revoke({ path: { id } }))
      },
      logs: {
        last: (query) => Effect.map(told(adminWatch.logs({ urlParams: query })), ({ data }) => data),
        follow: (query) =>
          // Whether it may be asked is said by what answers in one piece.
          Stream.fromEffect(told(adminWatch.logs({ urlParams: { limit: 0 } }))).pipe(
            Stream.drain,
            Stream.concat(Stream.catchAll(followLogs(http, query), (failure) => told(Effect.fail(failure)))),
            Stream.concat(Stream.fail(new Unreachable({ message: `${url} has ended what was followed` })))
          )
      }
    } satisfies Operations
  }).pipe(Effect.provide(FetchHttpClient.layer))

/** A gateway elsewhere, instead of this machine's. */
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

const reasonOf = ({ cause, description }: HttpClientError.RequestError): string =>
  cause instanceof Error ? cause.message : (description ?? "no answer")
