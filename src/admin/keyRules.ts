import { Clock, Effect } from "effect"
import type { Caller } from "../contract/callers/Caller.ts"
import { changersOf, keySettingNames, mayChange } from "../contract/callers/keySettings.ts"
import { InvalidRequest } from "../contract/failures/Failure.ts"
import type { KeyOptions } from "./KeyAdministration.ts"
import { keyOptions } from "./keyOptions.ts"
import type { KeyRecord } from "./KeyRecord.ts"
import type { KeySettings } from "./KeysApi.ts"

/** The longest life of a member's key, in days. */
const longestLife = 90
const dayMs = 86_400_000

/** Options of a caller's key. Refuses others what only operators set. A member's new key ends: by default, and at the latest, after 90 days. */
export const allowedOptions = (caller: Caller, settings: KeySettings): Effect.Effect<KeyOptions, InvalidRequest> =>
  Effect.gen(function* () {
    const options = yield* keyOptions(settings)
    if (caller.within === undefined) return options
    const refuse = (param: string, message: string) =>
      Effect.fail(new InvalidRequest({ param, message: `${param}: ${message}` }))
    if (settings.unpriced !== undefined) return yield* refuse("unpriced", "only an operator changes it")
    const isMember = caller.within.person !== undefined
    const bound = keySettingNames.find((name) => settings[name] !== undefined && !mayChange(name, isMember))
    if (bound !== undefined) return yield* refuse(bound, `only ${changersOf(bound)} changes it`)
    if (!isMember) return options
    if (settings.upstreams !== undefined) return yield* refuse("upstreams", "only an operator or a manager changes it")
    const latestMs = (yield* Clock.currentTimeMillis) + longestLife * dayMs
    if (options.expiresAtMs === null || (options.expiresAtMs ?? 0) > latestMs) {
      return yield* refuse("expires_at", `a member's key ends within ${longestLife} days`)
    }
    return { ...options, expiresAtMs: options.expiresAtMs ?? latestMs }
  })

/** A member's changes of an own key. A manager may have set what bounds it, so the key may only end earlier. */
export const memberOptions = (
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
