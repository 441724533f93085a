import { Effect, Redacted } from "effect"
import { actorOf } from "../contract/Acting.ts"
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
import { withUnmatched } from "./modelRules.ts"
import { Serving } from "./Serving.ts"

/** Handlers of `/admin/v1/keys`. */
export const KeysHandlers = handlers(
  AdminKeysApi,
  Effect.map(Effect.all([Administration, Serving, Ledger]), ([{ keys }, { unmatched }, { flush }]) => {
    const noted = (key: KeyRecord) => withUnmatched(key, unmatched)
    return {
      list: ({ urlParams }) =>
        Effect.map(
          keys.list({
            account: urlParams.account,
            all: urlParams.all === "true",
            status: urlParams.status,
            search: urlParams.search,
            ...offsetOf(urlParams)
          }),
          (rows) => pagedByOffset(rows.map(noted), urlParams)
        ),
      create: ({ caller, payload }) =>
        Effect.flatMap(keyOptions(payload), (options) =>
          Effect.map(
            keys.create(actorOf(caller), { ...options, account: payload.account, name: payload.name }),
            ({ key, secret }) => withSecret({ key: noted(key), secret })
          )
        ),
      find: ({ payload }) =>
        Effect.map(keys.ofSecret(Redacted.make(payload.secret)), ({ isWhole, keys }) => ({
          object: "found_keys" as const,
          match: isWhole ? ("secret" as const) : ("hint" as const),
          data: keys.map(noted)
        })),
      show: ({ path }) => Effect.map(keys.show(path.id), noted),
      update: ({ caller, path, payload }) =>
        Effect.flatMap(keyOptions(payload), (options) =>
          Effect.map(
            keys.update(actorOf(caller), path.id, { ...options, name: payload.name, version: payload.version }),
            noted
          )
        ),
      revoke: ({ caller, path }) => Effect.map(keys.revoke(actorOf(caller), path.id), ({ key }) => key),
      rotateSecret: ({ caller, path }) => Effect.map(keys.rotateSecret(actorOf(caller), path.id), withSecret),
      // Use that is not stored yet would count again.
      resetBudgets: ({ caller, path }) =>
        Effect.zipRight(flush, Effect.map(keys.resetBudgets(actorOf(caller), path.id), noted))
    }
  })
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
