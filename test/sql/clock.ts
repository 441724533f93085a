import { Chunk, Clock, Duration, Effect, TestClock } from "effect"
import { UnderWay } from "../../src/sql/postgres/Pool.ts"
import { isElsewhere } from "./engines.ts"

/** Idle turns of the event loop. */
const quietTurns = 30

/** Lets everything run that does not wait for the clock: fibers, commits, promises, the database. */
export const settled: Effect.Effect<void> = Effect.flatMap(UnderWay, (underWay) =>
  Effect.promise(async () => {
    const givenUpAt = performance.now() + 5_000
    for (let quiet = 0; quiet < quietTurns && performance.now() < givenUpAt;) {
      await new Promise((resolve) => setImmediate(resolve))
      quiet = underWay.statements === 0 ? quiet + 1 : 0
    }
  })
)

/** Moments that a long time is made of at most. */
const mostMoments = 60

/**
 * Moves the test's clock as `TestClock.adjust`, and lets whatever wakes on the way come to rest before it goes on: a
 * database that answers over a socket takes time that this clock does not know.
 */
export const adjust = (by: Duration.DurationInput): Effect.Effect<void> =>
  Effect.gen(function* () {
    if (!isElsewhere()) return yield* TestClock.adjust(by)
    const end = (yield* Clock.currentTimeMillis) + Duration.toMillis(by)
    yield* settled
    for (let moment = 0; moment < mostMoments; moment++) {
      const now = yield* Clock.currentTimeMillis
      const due = Chunk.toReadonlyArray(yield* TestClock.sleeps()).filter((at) => at > now && at <= end)
      if (due.length === 0) break
      yield* TestClock.setTime(Math.min(...due))
      yield* settled
    }
    yield* TestClock.setTime(end)
    yield* settled
  })
