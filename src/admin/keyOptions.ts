import { Effect } from "effect"
import { keySettingNames, noKeySettings } from "../contract/callers/keySettings.ts"
import type { KeySettingChanges } from "../contract/callers/keySettings.ts"
import { recordOf } from "../contract/json/recordOf.ts"
import { InvalidRequest } from "../contract/failures/Failure.ts"
import { nanoUsdOf, noLimits } from "./fields.ts"
import type { KeyOptions } from "./KeyAdministration.ts"
import type { KeySettings } from "./KeysApi.ts"

/** The settings of a request. */
export const keyOptions = (settings: KeySettings): Effect.Effect<KeyOptions, InvalidRequest> =>
  Effect.map(budgetsIn(settings), (budgets) => {
    const { expires_at, limits, unpriced, ...rules } = settings
    return {
      models: rules.models === null ? ["*"] : rules.models,
      notModels: rules.not_models === null ? [] : rules.not_models,
      upstreams: rules.upstreams,
      // null is the default.
      ...recordOf<KeySettingChanges>(
        keySettingNames.map((name) => [name, rules[name] === null ? noKeySettings[name] : rules[name]])
      ),
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
