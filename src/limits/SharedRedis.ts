import { Context, Effect, Layer, Option, Runtime } from "effect"
import { daemon } from "../flow/daemon.ts"
import { Daemons } from "../flow/Daemons.ts"
import { backoff } from "../flow/schedules.ts"
import { makeAvailability } from "./Availability.ts"
import type { Availability } from "./Availability.ts"
import { Patience } from "./Patience.ts"
import { RedisConnection } from "./RedisConnection.ts"
import type { Send } from "./redisScript.ts"
import { redisPlaces } from "./redisPlaces.ts"
import { RedisUrl } from "./RedisUrl.ts"

/** The longest that a request waits for Redis, in ms; a healthy Redis answers within 0.1 ms. */
const longestWaitMs = 100

export interface Redis {
  /** Sends a command on the current connection; rejects if there is none. */
  readonly send: Send
  readonly availability: Availability
  /** Unique id of this process. */
  readonly node: string
  /** Settles like the call; rejects after the timeout. */
  readonly soon: <A>(call: Promise<A>) => Promise<A>
}

/** The Redis or Valkey that counts limits across all processes; without it, each process counts on its own. */
export class SharedRedis extends Context.Tag("gateway/limits/SharedRedis")<SharedRedis, Option.Option<Redis>>() {
  static readonly layer = Layer.scoped(
    SharedRedis,
    Effect.gen(function* () {
      const given = yield* RedisUrl
      if (Option.isNone(given)) return Option.none<Redis>()
      const at = redisPlaces(given.value)
      const availability = makeAvailability()
      const runtime = yield* Effect.runtime()
      const patience = new Patience(longestWaitMs)
      const soon = <A>(call: Promise<A>) => patience.wait(call)
      const closed = () => void Runtime.runFork(runtime)(availability.away("Redis closed the connection"))
      const connection = yield* Effect.acquireRelease(
        Effect.sync(() => new RedisConnection(at, soon, closed)),
        (connection) =>
          Effect.sync(() => {
            availability.end()
            connection.close()
          })
      )
      yield* Effect.logInfo(at.shown)
      yield* Effect.catchAll(connection.open, () => availability.away(at.away))
      // Requests never reconnect themselves, so that a hanging Redis delays none.
      const reconnecting = availability.lost.pipe(
        Effect.zipRight(connection.reopen),
        Effect.zipRight(availability.back),
        Effect.as(Effect.void)
      )
      yield* daemon("limits.redis", reconnecting, backoff)
      return Option.some<Redis>({
        send: connection.send,
        availability,
        node: crypto.randomUUID(),
        soon
      })
    })
  ).pipe(Layer.provide(Daemons.Default))
}
