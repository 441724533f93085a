import { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Clock, Effect } from "effect"
import { formats } from "../../cluster/formats.ts"
import { Node } from "../../cluster/Node.ts"
import { showUsd } from "../../contract/text/showUsd.ts"
import { daemon } from "../../flow/daemon.ts"
import { everySecond } from "../../flow/schedules.ts"
import { done, sumRepair } from "../store/sumRepair.ts"
import type { Repaired } from "../store/sumRepair.ts"

/** Pauses: between slices, until older nodes have left, and after a failure. */
const [betweenSlices, lookAgain, afterFailure] = ["50 millis", "5 seconds", "1 minute"] as const

/**
 * Compares the sums with `usage` once in the life of a database on Postgres, when no node of an older version is left that
 * may add up rows wrongly. In slices whose progress is stored: any node goes on where another has stopped.
 */
export const repairSums = Effect.gen(function* () {
  const node = yield* Node
  const repair = sumRepair(yield* SqlClient.SqlClient)

  /** Repairs a slice; returns the pause before the next one. */
  const next = Effect.gen(function* (): Effect.fn.Return<Effect.Effect<void>, SqlError> {
    if (node.sharedFormat() < formats.versionedSums) return Effect.sleep(lookAgain)
    const from = (yield* repair.progress) ?? (yield* repair.firstMs) ?? done
    if (from === done) {
      yield* repair.store(done)
      return Effect.never
    }
    const repaired = yield* repair.slice(from, yield* Clock.currentTimeMillis)
    if (repaired === undefined) return Effect.sleep(lookAgain)
    yield* logged(from, repaired)
    yield* repair.store(repaired.nextMs ?? done)
    if (repaired.nextMs !== undefined) return Effect.sleep(betweenSlices)
    yield* Effect.annotateLogs(Effect.logInfo("the sums of usage were compared with its rows once"), { event })
    return Effect.never
  })
  // Requests are served without it: a failure doesn't make the gateway unready.
  const pass = Effect.catchTag(next, "SqlError", (error) =>
    Effect.as(
      Effect.annotateLogs(Effect.logWarning("sums of usage were not compared", error), { event }),
      Effect.sleep(afterFailure)
    )
  )
  yield* daemon("sums.repair", pass, everySecond)
})

const event = "usage.sums_repaired"

const logged = (fromMs: number, { days, hours }: Repaired) => {
  if (hours.sums === 0 && days.sums === 0) return Effect.void
  const lacked = (nanoUsd: number, upstreamNanoUsd: number) =>
    `$${showUsd(nanoUsd)} and $${showUsd(upstreamNanoUsd)} of upstreams' costs`
  const warning = Effect.logWarning(
    `sums of usage that nodes of an older version added up are whole again: ${hours.sums} by hour lacked ${lacked(hours.nanoUsd, hours.upstreamNanoUsd)}, ${days.sums} by day ${lacked(days.nanoUsd, days.upstreamNanoUsd)}`
  )
  return Effect.annotateLogs(warning, {
    event,
    from: new Date(fromMs).toISOString(),
    hours: hours.sums,
    days: days.sums,
    cost_usd: Number(showUsd(hours.nanoUsd))
  })
}
