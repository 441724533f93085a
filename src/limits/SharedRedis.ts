import { RedisClient } from "bun"
import { Context, Effect, Layer, Option, Redacted, Runtime } from "effect"
import { makeAvailability } from "./Availability.ts"
import type { Availability } from "./Availability.ts"
import { Patience } from "./Patience.ts"
import { RedisUrl } from "./RedisUrl.ts"

/** A request does not wait longer than this for Redis, in ms: it answers within 0.1 ms where it is well. */
const longestWaitMs = 100
/** For a connection. */
const connectMs = 2_000

export interface Redis {
  readonly client: RedisClient
  readonly availability: Availability
  /** This process's name among the others. */
  readonly node: string
  /** What a call came to; rejects where Redis takes too long to say. */
  readonly soon: <A>(call: Promise<A>) => Promise<A>
}

/** The Redis (or Valkey) in which all processes count together; none: each process counts its own. */
export class SharedRedis extends Context.Tag("gateway/limits/SharedRedis")<SharedRedis, Option.Option<Redis>>() {
  static readonly layer = Layer.scoped(
    SharedRedis,
    Effect.gen(function* () {
      const given = yield* RedisUrl
      if (Option.isNone(given)) return Option.none<Redis>()
      const url = Redacted.value(given.value)
      const availability = makeAvailability(yield* Effect.clock)
      const runtime = yield* Effect.runtime()
      const client = yield* Effect.acquireRelease(
        Effect.sync(
          () =>
            new RedisClient(url, {
              connectionTimeout: connectMs,
              // Its own ten tries are over after eleven seconds, and it never connects again.
              maxRetries: 1_000_000,
              // Calls would wait for as long as Redis is away.
              enableOfflineQueue: false
            })
        ),
        (client) =>
          Effect.sync(() => {
            availability.end()
            client.close()
          })
      )
      // oxlint-disable-next-line unicorn/prefer-add-event-listener -- it is no event target
      client.onconnect = () => void Runtime.runFork(runtime)(availability.connected)
      // Calls before it is connected would fail. One that can't be reached now is tried again by the client itself.
      const isThere = yield* Effect.promise(() =>
        Promise.race([client.connect().then(() => true), Bun.sleep(connectMs).then(() => false)]).catch(() => false)
      )
      yield* Effect.logInfo(`limits are counted in Redis at ${URL.parse(url)?.host}`)
      if (!isThere) yield* availability.away("Redis does not answer")
      const patience = new Patience(longestWaitMs)
      return Option.some<Redis>({
        client,
        availability,
        node: crypto.randomUUID(),
        soon: (call) => patience.wait(call)
      })
    })
  )
}
