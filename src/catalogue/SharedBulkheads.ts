import { Context, Effect, Layer, Option, Runtime } from "effect"
import { SharedPermits } from "../limits/SharedPermits.ts"
import type { CountsRunning } from "../limits/SharedPermits.ts"
import { SharedRedis } from "../limits/SharedRedis.ts"
import type { Redis } from "../limits/SharedRedis.ts"
import type { Bulkhead } from "../routing/Bulkhead.ts"
import type { SharedCapacity } from "../routing/sharedSlots.ts"

/** What the processes of a gateway tell each other of their ways to upstreams. */
export interface BulkheadSharing {
  /** Room for so many calls of all processes together; undefined where each counts its own. */
  readonly roomOf: (upstream: string, most: number) => SharedCapacity | undefined
  /** Tells the others that a circuit has opened here, for so long. */
  readonly opened: (upstream: string, forMs: number) => void
  /** Passes on which circuits have opened elsewhere since it was last asked; undefined where nobody would tell. */
  readonly look: ((lanes: ReadonlyMap<string, Bulkhead>) => Effect.Effect<void>) | undefined
}

const alone: BulkheadSharing = { roomOf: () => undefined, opened: () => {}, look: undefined }

/** Through Redis where there is one, and while it answers; else each process is alone. */
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
      return { roomOf: roomsIn(permits), ...circuitsIn(redis.value, yield* Effect.runtime()) }
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

/** A key an upstream whose circuit has opened somewhere, for as long as it stays open there: which opening it was. */
const circuitsIn = ({ availability, node, send, soon }: Redis, runtime: Runtime.Runtime<never>) => {
  const keyOf = (upstream: string) => `gateway:circuits:${upstream}`
  const seen = new Map<string, string>()
  let openings = 0

  const opened = (upstream: string, forMs: number): void => {
    if (availability.isAway()) return
    const opening = `${node} ${++openings}`
    seen.set(upstream, opening)
    const told = () => soon(send("SET", [keyOf(upstream), opening, "PX", String(Math.ceil(forMs))]))
    Runtime.runFork(runtime)(Effect.ignore(Effect.tryPromise(told)))
  }

  const look = (lanes: ReadonlyMap<string, Bulkhead>) =>
    Effect.suspend(() => {
      const all = [...lanes]
      if (all.length === 0 || availability.isAway()) return Effect.void
      const keys = all.map(([name]) => keyOf(name))
      // Whether it answers is for those to find out who need it.
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

  return { opened, look }
}
