import { RedisClient } from "bun"
import { Effect, Redacted } from "effect"
import type { Sentinel } from "../config/sections/Redis.ts"

/** The possible places of a Redis. */
export interface RedisPlaces {
  /** For the log. */
  readonly shown: string
  /** Finds a URL to connect to. They are tried in order. */
  readonly places: ReadonlyArray<Effect.Effect<string, unknown>>
  /** The log line if none of them takes writes. */
  readonly away: string
}

/** Timeout of a sentinel's connection and of its answer. */
const sentinelMs = 1_000

/**
 * A URL, or what each sentinel calls the master. A sentinel that was cut off may name a former master, so the next one is
 * asked if that takes no writes.
 */
export const redisPlaces = (given: Redacted.Redacted | Sentinel): RedisPlaces => {
  if (Redacted.isRedacted(given)) {
    const url = Redacted.value(given)
    const shown = `limits are counted in Redis at ${URL.parse(url)?.host}`
    return { shown, places: [Effect.succeed(url)], away: "Redis does not answer" }
  }
  const { hosts, name, password } = given
  return {
    shown: `limits are counted in the Redis that the sentinels at ${hosts.join(", ")} name`,
    places: hosts.map((host) => Effect.map(masterBy(host, name, password), (at) => urlOf(at, password))),
    away: `no sentinel names a master "${name}" that answers and takes writes`
  }
}

const urlOf = (host: string, password: Redacted.Redacted | undefined): string =>
  password === undefined ? `redis://${host}` : `redis://default:${encodeURIComponent(Redacted.value(password))}@${host}`

/** The address of the master that a sentinel watches under a name. */
const masterBy = (host: string, name: string, password: Redacted.Redacted | undefined) =>
  Effect.acquireUseRelease(
    Effect.sync(() => new RedisClient(urlOf(host, password), { connectionTimeout: sentinelMs, autoReconnect: false })),
    (client) =>
      Effect.tryPromise(async () => {
        await client.connect()
        const answer: unknown = await client.send("SENTINEL", ["get-master-addr-by-name", name])
        if (!Array.isArray(answer)) throw new Error(`it watches no master "${name}"`)
        const [at, port] = answer.map(String)
        return at?.includes(":") === true ? `[${at}]:${port}` : `${at}:${port}`
      }).pipe(Effect.timeout(sentinelMs)),
    (client) => Effect.sync(() => client.close())
  )
