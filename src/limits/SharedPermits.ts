import { Context, Effect, Layer, Option, Runtime } from "effect"
import { daemon } from "../flow/daemon.ts"
import { Daemons } from "../flow/Daemons.ts"
import { backoff } from "../flow/schedules.ts"
import type { Availability } from "./Availability.ts"
import { Permits } from "./Permits.ts"
import type { Bound } from "./Permits.ts"
import { believedMs, redisPermits } from "./redisPermits.ts"
import type { RemotePermits } from "./redisPermits.ts"
import { SharedRedis } from "./SharedRedis.ts"

/** Counts concurrent requests. */
export interface CountsRunning {
  /** Takes permits of this process; returns the exhausted bound instead if there is one. */
  readonly take: <B extends Bound>(bounds: ReadonlyArray<B>) => B | undefined
  /** Then takes the same permits across all processes; undefined without a Redis. */
  readonly takeOfAll: (<B extends Bound>(bounds: ReadonlyArray<B>) => Effect.Effect<B | undefined>) | undefined
  readonly giveBack: (bounds: ReadonlyArray<Bound>) => void
}

/** Permits across all processes while Redis is reachable, otherwise of this process. */
export class SharedPermits extends Context.Tag("gateway/limits/SharedPermits")<SharedPermits, CountsRunning>() {
  static readonly layer = Layer.scoped(
    SharedPermits,
    Effect.gen(function* () {
      const own = new Permits()
      const redis = yield* SharedRedis
      if (Option.isNone(redis)) {
        return {
          take: (bounds) => own.take(bounds),
          takeOfAll: undefined,
          giveBack: (bounds) => own.giveBack(bounds)
        }
      }
      const { availability } = redis.value
      const remote = redisPermits(redis.value)
      const shared = sharedPermits(own, remote, availability, yield* Effect.runtime())
      yield* daemon("limits.permits", Effect.as(shared.renew, Effect.sleep(believedMs / 3)), backoff)
      return shared.counts
    })
  ).pipe(Layer.provide(Daemons.Default))
}

/** Reports this process's counts to Redis with each permit, before they expire, and when Redis comes back. */
const sharedPermits = (
  own: Permits,
  remote: RemotePermits,
  availability: Availability,
  runtime: Runtime.Runtime<never>
): { readonly counts: CountsRunning; readonly renew: Effect.Effect<void> } => {
  const counted = ({ key, most }: Bound) => ({ key, most, running: own.runningOf(key) })
  /** Keys for which Redis may hold a count of this process, with their last take. */
  const reported = new Map<string, number>()
  let takes = 0

  const report = (keys: ReadonlyArray<string>) =>
    Effect.suspend(() => {
      const counts = keys.map((key) => ({ key, running: own.runningOf(key) }))
      const before = takes
      return Effect.map(
        Effect.tryPromise(() => remote.tell(counts)),
        () => {
          for (const { key, running } of counts)
            if (running === 0 && (reported.get(key) ?? 0) <= before) reported.delete(key)
        }
      )
    }).pipe(Effect.catchAll(() => availability.away("Redis does not answer")))

  const renew = Effect.suspend(() => {
    // Includes keys without running requests, to repair lost calls.
    const keys = [...new Set([...own.keys(), ...reported.keys()])]
    // Even without keys, to detect an outage.
    return availability.isAway() ? Effect.void : report(keys)
  })

  availability.onBack(() => Runtime.runFork(runtime)(renew))

  return {
    renew,
    counts: {
      take: (bounds) => own.take(bounds),
      takeOfAll: (bounds) =>
        Effect.suspend(() => {
          if (availability.isAway()) return Effect.succeed<undefined>(undefined)
          takes++
          for (const { key } of bounds) reported.set(key, takes)
          return Effect.tryPromise(() => remote.take(bounds.map(counted))).pipe(
            Effect.map((full) => (full === undefined ? undefined : bounds[full])),
            Effect.catchAll(() => Effect.as(availability.away("Redis does not answer"), undefined))
          )
        }),
      giveBack: (bounds) => {
        own.giveBack(bounds)
        if (bounds.length > 0 && !availability.isAway()) Runtime.runFork(runtime)(report(bounds.map(({ key }) => key)))
      }
    }
  }
}
