import { Deferred, Effect } from "effect"
import { NamedSlots } from "../../flow/NamedSlots.ts"
import { LeaseLost } from "../../tasks/TaskKind.ts"

interface Running {
  readonly stop: Deferred.Deferred<void>
  readonly over: Deferred.Deferred<void>
}

/** Work of this process that somebody may stop, by the ids of its tasks. */
export const makeStops = () => {
  const running = new NamedSlots<Running>()

  /** Work that is interrupted where it is to be stopped, and then is no longer ours. */
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

  /** Returns once it has stopped; at once where nothing runs here. */
  const stop = (id: string): Effect.Effect<void> =>
    Effect.suspend(() => {
      const one = running.get(id)
      return one === undefined
        ? Effect.void
        : Effect.zipRight(Deferred.succeed(one.stop, undefined), Deferred.await(one.over))
    })

  return { stoppable, stop } as const
}
