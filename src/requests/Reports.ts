import { Effect } from "effect"
import { jsonInTurns } from "../flow/inTurns.ts"
import { NamedSlots } from "../flow/NamedSlots.ts"
import { writtenAs } from "../contract/records/Written.ts"
import { Connections } from "../sql/Connections.ts"

/** Reports that run at once: of a key, and of all. */
const [ofOneKey, ofAll] = [2, 4]
/** Longer pages are written with turns of the event loop in between. */
const longPage = 100

/**
 * The gate of reports, lists and exports: each reads long tables in slices (`sql/slices.ts`), and two of a key run at
 * once, four of all. The others wait for their turn, in order. Of a Postgres pool they take a half at most.
 */
export class Reports extends Effect.Service<Reports>()("gateway/requests/Reports", {
  effect: Effect.gen(function* () {
    const connections = (yield* Connections) ?? Infinity
    const all = Effect.unsafeMakeSemaphore(Math.max(1, Math.min(ofAll, Math.floor(connections / 2))))
    const slots = new NamedSlots<{ readonly semaphore: Effect.Semaphore; reports: number }>()

    /** Runs a report after earlier ones of the same key, and of others. */
    const ofKey = <A, E, R>(key: string, report: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
      Effect.suspend(() => {
        const slot = slots.get(key) ?? { semaphore: Effect.unsafeMakeSemaphore(ofOneKey), reports: 0 }
        slots.set(key, slot)
        slot.reports++
        return Effect.ensuring(
          slot.semaphore.withPermits(1)(all.withPermits(1)(Effect.tap(report, written))),
          Effect.sync(() => void (--slot.reports === 0 && slots.delete(key)))
        )
      })
    return { ofKey } as const
  })
}) {}

const written = (page: unknown): Effect.Effect<unknown> =>
  isLongPage(page)
    ? Effect.map(
        Effect.promise(() => jsonInTurns(page)),
        (json) => writtenAs(page, json)
      )
    : Effect.void

const isLongPage = (page: unknown): page is Readonly<Record<string, unknown>> =>
  typeof page === "object" && page !== null && "data" in page && Array.isArray(page.data) && page.data.length > longPage
