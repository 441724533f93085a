import { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect } from "effect"
import { daemon } from "../../flow/daemon.ts"
import { everySecond } from "../../flow/schedules.ts"
import { Commits } from "../../sql/Commits.ts"
import { usageStatements } from "../store/usageStatements.ts"

/** How long ended tasks gather, in ms: their rows are there at once, and whoever reads sums has them added up before. */
const gatherMs = 20
/** How often it is looked for what requests have left, and nodes that died. */
const every = "1 second"

/**
 * Adds up what ended tasks have used, and requests that nothing was held for. What stores it adds rows and changes none,
 * since those of an account's money and day are everybody's: held until the commit, one would let a few hundred tasks a
 * second end, and keep requests waiting for one another.
 */
export const makeSums = Effect.gen(function* () {
  const commits = yield* Commits
  const { sumUp } = usageStatements(yield* SqlClient.SqlClient)
  let isDue = false
  let wake: (() => void) | undefined
  let notBefore = 0

  const once = commits.now(sumUp)
  const all: Effect.Effect<void, SqlError> = Effect.asVoid(Effect.repeat(once, { while: (isMore) => isMore }))

  const told = Effect.async<void>((resume) => {
    const go = () => {
      wake = undefined
      resume(Effect.void)
    }
    let timer: ReturnType<typeof setTimeout> | undefined
    wake = () => {
      timer ??= setTimeout(go, Math.max(0, notBefore - performance.now()))
    }
    if (isDue) wake()
    return Effect.sync(() => {
      wake = undefined
      clearTimeout(timer)
    })
  })
  const pass = Effect.suspend(() => {
    isDue = false
    return Effect.map(all, () => void (notBefore = performance.now() + gatherMs))
  })
  yield* daemon("sums", Effect.as(pass, Effect.raceFirst(told, Effect.sleep(every))), everySecond)

  return {
    /** There is something to add up. */
    soon: () => {
      isDue = true
      wake?.()
    },
    all
  } as const
})
