import { Effect } from "effect"
import { NamedSlots } from "../flow/NamedSlots.ts"

/** Searches of the requests that are kept: one of a key at a time, so that nobody's many hold up everybody. */
export class Searches extends Effect.Service<Searches>()("gateway/requests/Searches", {
  sync: () => {
    const lines = new NamedSlots<{ readonly semaphore: Effect.Semaphore; searches: number }>()
    /** Runs a search once the same key's others are over. */
    const ofKey = <A, E, R>(key: string, search: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
      Effect.suspend(() => {
        const line = lines.get(key) ?? { semaphore: Effect.unsafeMakeSemaphore(1), searches: 0 }
        lines.set(key, line)
        line.searches++
        return Effect.ensuring(
          line.semaphore.withPermits(1)(search),
          Effect.sync(() => void (--line.searches === 0 && lines.delete(key)))
        )
      })
    return { ofKey } as const
  }
}) {}
