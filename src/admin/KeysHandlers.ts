import { Clock, Effect, Redacted } from "effect"
import { actorOf } from "../contract/Acting.ts"
import type { Caller } from "../contract/Caller.ts"
import { InvalidRequest } from "../contract/Failure.ts"
import { handlers } from "../contract/handlers.ts"
import { offsetOf, pagedByOffset } from "../contract/paging.ts"
import { Ledger } from "../ledger/Ledger.ts"
import { Administration } from "./Administration.ts"
import { nanoUsdOf, noLimits } from "./fields.ts"
import type { KeyOptions, KeyWithSecret } from "./KeyAdministration.ts"
import type { KeyRecord } from "./KeyRecord.ts"
import { AdminKeysApi } from "./KeysApi.ts"
import type { KeySettings } from "./KeysApi.ts"
import { makeOwned } from "./Owned.ts"
import { withUnmatched } from "./modelRules.ts"
import { Serving } from "./Serving.ts"

/** Handlers of `/admin/v1/keys`. */
export const KeysHandlers = handlers(
  AdminKeysApi,
  Effect.map(
    Effect.all([Administration, Serving, Ledger, makeOwned]),
    ([{ keys, reports }, { unmatched }, { flush }, owned]) => {
      const noted = (key: KeyRecord) => withUnmatched(key, unmatched)
      return {
        list: ({ caller, urlParams }) =>
          Effect.flatMap(owned.of(caller, urlParams.account), (own) =>
            reports.ofKey(
              caller.key,
              Effect.map(
                keys.list({
                  account: own === undefined ? urlParams.account : own.account,
                  person: caller.within?.person,
                  all: urlParams.all === "true",
                  status: urlParams.status,
                  search: urlParams.search,
                  ...offsetOf(urlParams)
                }),
                (rows) => pagedByOffset(rows.map(noted), urlParams)
              )
            )
          ),
        create: ({ caller, payload }) =>
          Effect.flatMap(allowedOptions(caller, payload), (options) =>
            Effect.map(
              Effect.zipRight(
                owned.account(caller, payload.account),
                keys.create(actorOf(caller), {
                  ...options,
                  account: payload.account,
                  name: payload.name,
                  person: caller.within?.person
                })
              ),
              ({ key, secret }) => withSecret({ key: noted(key), secret })
            )
          ),
        find: ({ caller: { within }, payload }) =>
          // Another account's secret is answered as an unknown one.
          Effect.map(keys.ofSecret(Redacted.make(payload.secret), within?.accounts), ({ isWhole, keys }) => ({
            object: "found_keys" as const,
            match: isWhole ? ("secret" as const) : ("hint" as const),
            data: keys.map(noted)
          })),
        show: ({ caller, path }) => Effect.zipRight(owned.key(caller, path.id), Effect.map(keys.show(path.id), noted)),
        update: ({ caller, path, payload }) =>
          Effect.gen(function* () {
            yield* owned.key(caller, path.id)
            const options = yield* caller.within?.person === undefined
              ? allowedOptions(caller, payload)
              : Effect.flatMap(keys.show(path.id), (now) => memberOptions(payload, now))
            const asked = { ...options, name: payload.name, version: payload.version }
            return noted(yield* keys.update(actorOf(caller), path.id, asked))
          }),
        revoke: ({ caller, path }) =>
          Effect.zipRight(
            owned.key(caller, path.id),
            Effect.map(keys.revoke(actorOf(caller), path.id), ({ key }) => key)
          ),
        rotateSecret: ({ caller, path }) =>
          Effect.zipRight(
            owned.key(caller, path.id),
            Effect.map(keys.rotateSecret(actorOf(caller), path.id), withSecret)
          ),
        // Use that is not stored yet would count again.
        resetBudgets: ({ caller, path }) =>
          Effect.zipRight(owned.key(caller, path.id), flush).pipe(
            Effect.zipRight(Effect.map(keys.resetBudgets(actorOf(caller), path.id), noted))
          )
      }
    }
  )
)

const withSecret = ({ key, secret }: KeyWithSecret) => ({ key, secret: Redacted.value(secret) })

/** The longest life of a member's key, in days. */
const longestLife = 90
const dayMs = 86_400_000

/** Refuses others what only operators set. A member's new key ends: by default, and at the latest, after 90 days. */
const allowedOptions = (caller: Caller, settings: KeySettings): Effect.Effect<KeyOptions, InvalidRequest> =>
  Effect.gen(function* () {
    const options = yield* keyOptions(settings)
    if (caller.within === undefined) return options
    const refuse = (param: string, message: string) =>
      Effect.fail(new InvalidRequest({ param, message: `${param}: ${message}` }))
    if (settings.unpriced !== undefined) return yield* refuse("unpriced", "only an operator changes it")
    if (caller.within.person === undefined) return options
    if (settings.choose_route !== undefined)
      return yield* refuse("choose_route", "only an operator or a manager changes it")
    if (settings.upstreams !== undefined) return yield* refuse("upstreams", "only an operator or a manager changes it")
    const latestMs = (yield* Clock.currentTimeMillis) + longestLife * dayMs
    if (options.expiresAtMs === null || (options.expiresAtMs ?? 0) > latestMs) {
      return yield* refuse("expires_at", `a member's key ends within ${longestLife} days`)
    }
    return { ...options, expiresAtMs: options.expiresAtMs ?? latestMs }
  })

/** A member's changes of an own key. A manager may have set what bounds it, so the key may only end earlier. */
const memberOptions = (
  { expires_at: ends, name: _name, version: _version, ...others }: KeySettings,
  now: Pick<KeyRecord, "expires_at">
): Effect.Effect<KeyOptions, InvalidRequest> => {
  const refuse = (param: string, message: string) =>
    Effect.fail(new InvalidRequest({ param, message: `${param}: ${message}` }))
  const [bound] = Object.entries(others).flatMap(([name, value]) => (value === undefined ? [] : [name]))
  if (bound !== undefined) {
    return refuse(
      bound,
      "only an operator or a manager changes it; a member changes the name, and lets a key end earlier"
    )
  }
  if (ends === undefined) return Effect.succeed({})
  const isLater = ends === null || (now.expires_at !== null && Date.parse(ends) > Date.parse(now.expires_at))
  return isLater
    ? refuse("expires_at", `a member's key may only end earlier than ${now.expires_at ?? "never"}`)
    : Effect.succeed({ expiresAtMs: Date.parse(ends) })
}

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
