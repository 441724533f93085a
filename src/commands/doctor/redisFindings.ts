import { Effect, Option } from "effect"
import type { GatewaySettings } from "../../config/Settings.ts"
import { RedisConnection } from "../../limits/RedisConnection.ts"
import { redisPlaces } from "../../limits/redisPlaces.ts"
import { ok, problem, settingOf } from "./Finding.ts"
import type { Finding } from "./Finding.ts"
import { redisRefusal } from "./redisRefusal.ts"

const check = "redis"

/** Asks Redis to accept a write. */
export const redisFindings = (settings: GatewaySettings): Effect.Effect<ReadonlyArray<Finding>> => {
  const given = Option.orElse(settings.redisUrl, () => settings.redisSentinel)
  if (Option.isNone(given)) return Effect.succeed([ok(check, "none is set: each process counts limits on its own")])
  const at = redisPlaces(given.value)
  const connection = new RedisConnection(
    at,
    (call) => call,
    () => undefined
  )
  // The failure itself may hold the address.
  const refusal = Effect.matchEffect(Effect.firstSuccessOf(at.places), {
    onFailure: () => Effect.succeed(at.away),
    onSuccess: redisRefusal
  })
  return Effect.ensuring(
    connection.open,
    Effect.sync(() => connection.close())
  ).pipe(
    Effect.matchEffect({
      onSuccess: () => Effect.succeed([ok(check, "accepts writes")]),
      onFailure: () => Effect.map(refusal, (said) => [problem(check, ...whyOf(said, redisSetting(settings)))])
    })
  )
}

export const redisSetting = (settings: GatewaySettings): string =>
  Option.isSome(settings.redisSentinel) ? "redis.sentinel" : settingOf(settings, "redis.url", "GATEWAY_REDIS_URL")

const whyOf = (said: string, setting: string): readonly [message: string, remedy: string] => {
  if (/WRONGPASS|NOAUTH|ERR AUTH|ERR invalid password/i.test(said))
    return ["refuses the user or the password", `Change the user and password in ${setting}.`]
  if (said.includes("READONLY")) return ["is a replica, which stores nothing", `Change ${setting} to the primary.`]
  if (said.includes("NOPERM"))
    return ["the user may not write", `Allow the user of ${setting} SET, EVAL and EVALSHA on the keys \`gateway:*\`.`]
  if (said.includes("LOADING")) return ["is loading its data", "Wait until it has loaded."]
  if (said.endsWith("+OK\r\n"))
    return ["takes writes, but is no master", `Check what the sentinels of ${setting} watch.`]
  if (said.startsWith("no sentinel")) return [said, `Check hosts, name and password of ${setting}.`]
  return [
    `can't be reached${/^E[A-Z]+$/.test(said) ? ` (${said})` : ""}`,
    `Check host and port in ${setting}, and that it runs.`
  ]
}
