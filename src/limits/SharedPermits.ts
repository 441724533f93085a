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

/** Who counts what runs at once. */
export interface CountsRunning {
  /** As far as this process alone has it running: the bound that is reached; undefined where the permits were taken. */
  readonly take: <B extends Bound>(bounds: ReadonlyArray<B>) => B | undefined
  /** As far as all others have, for permits that this process has taken; undefined where nobody else counts. */
  readonly takeOfAll: (<B extends Bound>(bounds: ReadonlyArray<B>) => Effect.Effect<B | undefined>) | undefined
  readonly giveBack: (bounds: ReadonlyArray<Bound>) => void
}

/** Permits of all processes together where there is a Redis, and while it answers; of this process otherwise. */
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

/** What this process has running is told with each permit, again before it is forgotten, and all of it to a Redis that is back. */
const sharedPermits = (
  own: Permits,
  remote: RemotePermits,
  availability: Availability,
  runtime: Runtime.Runtime<never>
): { readonly counts: CountsRunning; readonly renew: Effect.Effect<void> } => {
  const counted = ({ key, most }: Bound) => ({ key, most, running: own.runningOf(key) })
  /** Under what Redis may believe that something runs here, until it has heard that nothing does; each with its last take. */
  const told = new Map<string, number>()
  let takes = 0

  const tell = (keys: ReadonlyArray<string>) =>
    Effect.suspend(() => {
      const counts = keys.map((key) => ({ key, running: own.runningOf(key) }))
      const before = takes
      return Effect.map(
        Effect.tryPromise(() => remote.tell(counts)),
        () => {
          for (const { key, running } of counts) if (running === 0 && (told.get(key) ?? 0) <= before) told.delete(key)
        }
      )
    }).pipe(Effect.catchAll(() => availability.away("Redis does not answer")))

  const renew = Effect.suspend(() => {
    // A call that was lost is mended here too where nothing runs under its key any more.
    const keys = [...new Set([...own.keys(), ...told.keys()])]
    // With nothing to tell it still finds out whether Redis answers.
    return availability.isAway() ? Effect.void : tell(keys)
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
          for (const { key } of bounds) told.set(key, takes)
          return Effect.tryPromise(() => remote.take(bounds.map(counted))).pipe(
            Effect.map((full) => (full === undefined ? undefined : bounds[full])),
            Effect.catchAll(() => Effect.as(availability.away("Redis does not answer"), undefined))
          )
        }),
      giveBack: (bounds) => {
        own.giveBack(bounds)
        if (bounds.length > 0 && !availability.isAway()) Runtime.runFork(runtime)(tell(bounds.map(({ key }) => key)))
      }
    }
  }
}
