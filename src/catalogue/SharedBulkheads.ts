import { Context, Effect, Layer, Option, Runtime } from "effect"
import { SharedPermits } from "../limits/SharedPermits.ts"
import type { CountsRunning } from "../limits/SharedPermits.ts"
import { SharedRedis } from "../limits/SharedRedis.ts"
import type { Redis } from "../limits/SharedRedis.ts"
import type { Bulkhead } from "../routing/Bulkhead.ts"
import type { SharedCapacity } from "../routing/sharedSlots.ts"

/** State of the upstreams' bulkheads that the processes of a gateway share. */
export interface BulkheadSharing {
  /** Capacity shared by all processes; undefined if each counts its own. */
  readonly roomOf: (upstream: string, most: number) => SharedCapacity | undefined
  /** Tells the other processes that a circuit breaker opened here, and for how long. */
  readonly opened: (upstream: string, forMs: number) => void
  /** Applies circuit breakers that opened elsewhere since the last call; undefined if nothing is shared. */
  readonly look: ((bulkheads: ReadonlyMap<string, Bulkhead>) => Effect.Effect<void>) | undefined
}

const alone: BulkheadSharing = { roomOf: () => undefined, opened: () => {}, look: undefined }

/** Uses Redis if it is configured and available. Otherwise each process is alone. */
export class SharedBulkheads extends Context.Tag("gateway/catalogue/SharedBulkheads")<
  SharedBulkheads,
  BulkheadSharing
>() {
  static readonly layer = Layer.effect(
    SharedBulkheads,
    Effect.gen(function* () {
      const redis = yield* SharedRedis
      if (Option.isNone(redis)) return alone
      const permits = yield* SharedPermits
      return { roomOf: roomsIn(permits), ...circuitBreakersIn(redis.value, yield* Effect.runtime()) }
    })
  ).pipe(Layer.provide(SharedPermits.layer), Layer.provide(SharedRedis.layer))
}

const roomsIn =
  ({ giveBack, take, takeOfAll }: CountsRunning) =>
  (upstream: string, most: number): SharedCapacity | undefined => {
    if (takeOfAll === undefined) return undefined
    const bounds = [{ key: `upstream:${upstream}`, most }]
    return {
      take: Effect.suspend(() => {
        if (take(bounds) !== undefined) return Effect.succeed(false)
        return Effect.map(takeOfAll(bounds), (full) => {
          if (full !== undefined) giveBack(bounds)
          return full === undefined
        })
      }),
      leave: () => giveBack(bounds)
    }
  }

/**
 * A Redis key per upstream whose circuit breaker is open in a process, with an id of the opening. It expires with the
 * opening.
 */
const circuitBreakersIn = ({ availability, node, send, soon }: Redis, runtime: Runtime.Runtime<never>) => {
  const keyOf = (upstream: string) => `gateway:circuits:${upstream}`
  const seen = new Map<string, string>()
  let openings = 0

  const noteOpening = (upstream: string, forMs: number): void => {
    if (availability.isAway()) return
    const opening = `${node} ${++openings}`
    seen.set(upstream, opening)
    const publish = () => soon(send("SET", [keyOf(upstream), opening, "PX", String(Math.ceil(forMs))]))
    Runtime.runFork(runtime)(Effect.ignore(Effect.tryPromise(publish)))
  }

  const look = (bulkheads: ReadonlyMap<string, Bulkhead>) =>
    Effect.suspend(() => {
      const all = [...bulkheads]
      if (all.length === 0 || availability.isAway()) return Effect.void
      const keys = all.map(([name]) => keyOf(name))
      // Callers find out by themselves if it answers.
      return Effect.ignore(
        Effect.map(
          Effect.tryPromise(() => soon(send("MGET", keys))),
          (openings) => {
            if (!Array.isArray(openings)) return
            for (const [index, [name, { circuit, clock }]] of all.entries()) {
              const opening: unknown = openings[index] ?? undefined
              if (typeof opening !== "string" || opening === seen.get(name)) continue
              seen.set(name, opening)
              circuit.hinted(clock.unsafeCurrentTimeMillis())
            }
          }
        )
      )
    })

  return { opened: noteOpening, look }
}
