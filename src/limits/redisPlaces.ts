import { RedisClient } from "bun"
import { Effect, Redacted, Schema } from "effect"
import type { Sentinel } from "../config/sections/Redis.ts"

/** The possible places of a Redis. */
export interface RedisPlaces {
  /** For the log. */
  readonly shown: string
  /** Finds a URL to connect to. They are tried in order. */
  readonly places: ReadonlyArray<Effect.Effect<string, unknown>>
  /** It has to call itself a master: a replica may take writes, and loses them. */
  readonly isMaster: boolean
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
    return { shown, places: [Effect.succeed(url)], isMaster: false, away: "Redis does not answer" }
  }
  const { hosts, name } = given
  return {
    shown: `limits are counted in the Redis that the sentinels at ${hosts.join(", ")} name`,
    places: hosts.map((host) => Effect.map(masterBy(host, given), (at) => urlOf(at, given))),
    isMaster: true,
    away: `no sentinel names a master "${name}" that answers and takes writes`
  }
}

interface Access {
  readonly tls?: boolean | undefined
  readonly username?: string | undefined
  readonly password?: Redacted.Redacted | undefined
}

const urlOf = (host: string, { password, tls, username = "default" }: Access): string => {
  const scheme = tls === true ? "rediss" : "redis"
  if (password === undefined) return `${scheme}://${host}`
  return `${scheme}://${encodeURIComponent(username)}:${encodeURIComponent(Redacted.value(password))}@${host}`
}

/** An address or a name, and a port: a sentinel may say anything. */
const Master = Schema.Tuple(
  Schema.String.pipe(Schema.pattern(/^[\w.:-]+$/)),
  Schema.NumberFromString.pipe(Schema.int(), Schema.between(1, 65_535))
)

/** The address of the master that a sentinel watches under a name. */
const masterBy = (host: string, { name, password, sentinel_password, sentinel_username, tls }: Sentinel) =>
  Effect.acquireUseRelease(
    // It throws at a port above 65535.
    Effect.try(() => {
      const url = urlOf(host, { tls, username: sentinel_username, password: sentinel_password ?? password })
      return new RedisClient(url, { connectionTimeout: sentinelMs, autoReconnect: false })
    }),
    (client) =>
      Effect.tryPromise(async (): Promise<unknown> => {
        await client.connect()
        return client.send("SENTINEL", ["get-master-addr-by-name", name])
      }).pipe(
        Effect.timeout(sentinelMs),
        Effect.flatMap(Schema.decodeUnknown(Master)),
        Effect.map(([at, port]) => (at.includes(":") ? `[${at}]:${port}` : `${at}:${port}`))
      ),
    (client) => Effect.sync(() => client.close())
  )
