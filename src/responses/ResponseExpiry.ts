import { Effect, Layer, Schedule } from "effect"
import { ResponseStore } from "./ResponseStore.ts"

/** Few enough that no stream waits for the statement. */
const batch = 50

/** Doubles from a second up to a minute. */
const backoff = Schedule.exponential("1 second").pipe(Schedule.union(Schedule.spaced("1 minute")), Schedule.jittered)

const sweep = Effect.gen(function* () {
  const store = yield* ResponseStore
  const removed = yield* store.removeExpired(batch)
  yield* Effect.sleep(removed === batch ? "50 millis" : "1 minute")
}).pipe(
  Effect.tapErrorCause(Effect.logWarning),
  Effect.retry(backoff),
  Effect.forever,
  Effect.annotateLogs({ fiber: "responseExpiry" })
)

/** Removes responses whose time is over, a few at a time. */
export const ResponseExpiry = Layer.scopedDiscard(Effect.forkScoped(sweep))
