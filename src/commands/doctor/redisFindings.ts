import { Effect, Option, Redacted } from "effect"
import type { GatewaySettings } from "../../config/Settings.ts"
import { RedisConnection } from "../../limits/RedisConnection.ts"
import { ok, problem, settingOf } from "./Finding.ts"
import { redisRefusal } from "./redisRefusal.ts"

const check = "redis"

/** True if Redis accepts a write. */
export const redisFindings = (settings: GatewaySettings) =>
  Option.match(settings.redisUrl, {
    onNone: () => Effect.succeed([ok(check, "none is set: each process counts limits on its own")]),
    onSome: (url) =>
      Effect.suspend(() => {
        const connection = new RedisConnection(
          Redacted.value(url),
          (call) => call,
          () => undefined
        )
        return Effect.ensuring(
          connection.open,
          Effect.sync(() => connection.close())
        )
      }).pipe(
        Effect.matchEffect({
          onSuccess: () => Effect.succeed([ok(check, "accepts writes")]),
          onFailure: (error) =>
            Effect.map(redisRefusal(Redacted.value(url)), (said) => [
              problem(check, ...whyOf(`${wordsOf(error)} ${said}`, redisSetting(settings)))
            ])
        })
      )
  })

export const redisSetting = (settings: GatewaySettings): string => settingOf(settings, "redis.url", "GATEWAY_REDIS_URL")

/** The words of an error and of its causes, which may hold the address: they are not shown. */
const wordsOf = (error: unknown): string =>
  error instanceof Error
    ? `${Reflect.get(error, "code") ?? ""} ${error.message} ${wordsOf(error.cause ?? Reflect.get(error, "error"))}`
    : ""

const whyOf = (words: string, setting: string): readonly [message: string, remedy: string] => {
  if (/WRONGPASS|NOAUTH|AUTHENTICATION/i.test(words))
    return ["refuses the user or the password", `Change the user and password in ${setting}.`]
  if (words.includes("READONLY")) return ["is a replica, which stores nothing", `Change ${setting} to the primary.`]
  if (words.includes("NOPERM"))
    return ["the user may not write", `Allow the user of ${setting} to SET, EVALSHA and EVAL keys of \`gateway:*\`.`]
  if (words.includes("LOADING")) return ["is loading its data", "Wait until it has loaded."]
  return ["can't be reached", `Check host and port in ${setting}, and that it runs.`]
}
