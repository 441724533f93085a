import { Clock, Effect, Schedule } from "effect"
import type { Scope } from "effect"
import { Background, isRunning } from "./Background.ts"
import { Daemons } from "./Daemons.ts"

/**
 * Runs passes for as long as the scope lives. A pass returns the effect that waits for the next one (a time, a signal),
 * so that a daemon counts as recovered before a long wait. A pass that fails or dies is logged (`daemon.failed`),
 * reported to readiness (`Daemons`) and repeated on the schedule. `Background` may leave the daemon out.
 */
export const daemon = <E, R, E2, R2>(
  name: string,
  pass: Effect.Effect<Effect.Effect<unknown, E2, R2>, E, R>,
  schedule: Schedule.Schedule<unknown>
): Effect.Effect<void, never, R | R2 | Scope.Scope | Daemons> =>
  Effect.gen(function* () {
    if (!isRunning(yield* Background, name)) return
    const standing = yield* (yield* Daemons).enter(name)
    const delays = yield* Schedule.driver(schedule)

    const recovered = Effect.suspend(() => {
      standing.failingSince = undefined
      return Effect.zipRight(
        delays.reset,
        Effect.annotateLogs(Effect.logInfo("daemon recovered"), { event: "daemon.recovered" })
      )
    })
    const turn = Effect.flatMap(pass, (next) =>
      standing.failingSince === undefined ? next : Effect.zipRight(recovered, next)
    )

    yield* turn.pipe(
      Effect.forever,
      Effect.catchAllCause((cause) =>
        Effect.gen(function* () {
          standing.failures++
          standing.failingSince ??= yield* Clock.currentTimeMillis
          yield* Effect.annotateLogs(Effect.logError("daemon failed", cause), { event: "daemon.failed" })
          // A schedule that has ended starts again.
          yield* Effect.catchAll(delays.next(undefined), () => delays.reset)
        })
      ),
      Effect.forever,
      Effect.annotateLogs({ daemon: name }),
      Effect.forkScoped
    )
  })
