import { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect } from "effect"
import { daemon } from "../../flow/daemon.ts"
import { everySecond } from "../../flow/schedules.ts"
import { Commits } from "../../sql/Commits.ts"
import { usageStatements } from "../store/usageStatements.ts"

/**
 * How long ended tasks are gathered, in ms. Their rows are stored at once, and every reader of sums adds them up first.
 */
const gatherMs = 20
/** How often sums are added up without a signal: for rows left by requests and by dead nodes. */
const every = "1 second"

/**
 * Adds up the usage of ended tasks and of requests without a hold. Storing their usage only inserts rows: updating an
 * account's or a day's row would lock it until the commit, which limited a cluster to a few hundred ended tasks a
 * second and delayed requests.
 */
export const makeSums = Effect.gen(function* () {
  const commits = yield* Commits
  const { sumUp } = usageStatements(yield* SqlClient.SqlClient)
  let isDue = false
  let wake: (() => void) | undefined
  let notBefore = 0

  const once = commits.commit(sumUp, "first")
  const all: Effect.Effect<void, SqlError> = Effect.asVoid(Effect.repeat(once, { while: (isMore) => isMore }))

  const signalled = Effect.async<void>((resume) => {
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
  yield* daemon("sums", Effect.as(pass, Effect.raceFirst(signalled, Effect.sleep(every))), everySecond)

  return {
    /** Signals that there is usage to add up. */
    soon: () => {
      isDue = true
      wake?.()
    },
    all
  } as const
})
