import { Clock, Duration, Effect, FiberSet, Layer, Option } from "effect"
import { daemon } from "../../flow/daemon.ts"
import { Daemons } from "../../flow/Daemons.ts"
import { backoff } from "../../flow/schedules.ts"
import { UnitOfWork } from "../../tasks/UnitOfWork.ts"
import { makeCopying } from "./copying.ts"
import { Custody } from "./Custody.ts"
import { CustodyStore } from "./store/CustodyStore.ts"

/** The most concurrent copies. */
const parallel = 4

/** The interval of scans for other nodes' work, where there are any. */
const netMs = 5_000
const idleMs = Duration.toMillis("1 hour")

/** Makes copies and removes expired ones. If custody is switched off, the remaining ones are finished. */
export const CustodyLive = Layer.scopedDiscard(
  Effect.gen(function* () {
    const store = yield* CustodyStore
    const { due, keep } = yield* Custody
    const work = yield* makeCopying(Option.getOrElse(keep, () => Duration.days(1)))
    const running = yield* FiberSet.make()
    let underWay = 0
    const mostMs = Option.isSome(keep) ? netMs : idleMs

    const ended = Effect.sync(() => {
      underWay--
      due.ring()
    })

    /** A read, so that nothing is written if nothing is due. */
    const untilDue = Effect.gen(function* () {
      const nextMs = Option.getOrElse(yield* store.next, () => Infinity)
      return Math.min(nextMs - (yield* Clock.currentTimeMillis), mostMs)
    })

    const pass = Effect.gen(function* () {
      const free = parallel - underWay
      if (free === 0) return due.nextRing
      const waitMs = yield* untilDue
      if (waitMs > 0) return Effect.raceFirst(due.nextRing, Effect.sleep(waitMs))
      const claimed = yield* store.claim(free)
      for (const held of claimed) {
        underWay++
        yield* FiberSet.run(running, Effect.ensuring(work(held), ended))
      }
      // Another node holds what is due and could not be claimed.
      return claimed.length === 0 ? Effect.sleep("100 millis") : Effect.void
    })

    yield* Effect.catchAll(store.takeOver, (error) => Effect.logWarning("taking over copies failed", error))
    yield* daemon("custody", pass, backoff)
  })
).pipe(Layer.provide([Daemons.Default, CustodyStore.Default, UnitOfWork.Default]))
