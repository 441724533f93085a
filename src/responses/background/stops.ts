import { Deferred, Effect } from "effect"
import { NamedSlots } from "../../flow/NamedSlots.ts"
import { LeaseLost } from "../../tasks/TaskKind.ts"

interface Running {
  readonly stop: Deferred.Deferred<void>
  readonly over: Deferred.Deferred<void>
}

/** Running work of this process that a request may stop, by task id. */
export const makeStops = () => {
  const running = new NamedSlots<Running>()

  /** Runs work that `stop` interrupts. The task then belongs to the request that stopped it. */
  const stoppable = <A, E>(
    id: string,
    work: (isStopped: () => boolean) => Effect.Effect<A, E>
  ): Effect.Effect<A, E | LeaseLost> =>
    Effect.gen(function* () {
      const stop = yield* Deferred.make<void>()
      const over = yield* Deferred.make<void>()
      const one = { stop, over }
      let isStopped = false
      const stopped = Effect.flatMap(Deferred.await(stop), () => {
        isStopped = true
        return new LeaseLost({ id })
      })
      running.set(id, one)
      const end = Effect.suspend(() => {
        if (running.get(id) === one) running.delete(id)
        return Deferred.succeed(over, undefined)
      })
      return yield* Effect.ensuring(
        Effect.raceFirst(
          work(() => isStopped),
          stopped
        ),
        end
      )
    })

  /** Waits until the work has stopped. Returns at once if it does not run here. */
  const stop = (id: string): Effect.Effect<void> =>
    Effect.suspend(() => {
      const one = running.get(id)
      return one === undefined
        ? Effect.void
        : Effect.zipRight(Deferred.succeed(one.stop, undefined), Deferred.await(one.over))
    })

  return { stoppable, stop } as const
}
