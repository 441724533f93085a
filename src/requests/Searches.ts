import { Effect } from "effect"
import { NamedSlots } from "../flow/NamedSlots.ts"

/** Limits searches of stored requests to one at a time for each key. */
export class Searches extends Effect.Service<Searches>()("gateway/requests/Searches", {
  sync: () => {
    const slots = new NamedSlots<{ readonly semaphore: Effect.Semaphore; searches: number }>()
    /** Runs a search after the same key's earlier ones. */
    const ofKey = <A, E, R>(key: string, search: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
      Effect.suspend(() => {
        const slot = slots.get(key) ?? { semaphore: Effect.unsafeMakeSemaphore(1), searches: 0 }
        slots.set(key, slot)
        slot.searches++
        return Effect.ensuring(
          slot.semaphore.withPermits(1)(search),
          Effect.sync(() => void (--slot.searches === 0 && slots.delete(key)))
        )
      })
    return { ofKey } as const
  }
}) {}
