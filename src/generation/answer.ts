import { Effect, Exit } from "effect"
import type { Failure } from "../contract/Failure.ts"
import { exitOf } from "../contract/eager.ts"
import { storing, upstreamEnded } from "./ending.ts"
import type { Ending } from "./ending.ts"
import type { Batch, Generation, How } from "./Generation.ts"
import type { GenerationEvent } from "./GenerationEvent.ts"
import type { Frame, Machine } from "./Machine.ts"

/**
 * Starts a generation and answers with it: whenever the caller is interrupted, the generation is cancelled. What has
 * started at once is answered at once: run what this gives.
 */
export const answering = <A, E, E2>(
  start: Effect.Effect<Generation, E>,
  answer: (generation: Generation) => Effect.Effect<A, E2>
): Effect.Effect<A, E | E2> => {
  const guarded = (generation: Generation): Effect.Effect<A, E2> => {
    const answered = answer(generation)
    return exitOf(answered) === undefined
      ? Effect.onInterrupt(Effect.interruptible(answered), () => Effect.sync(() => generation.cancel()))
      : answered
  }
  const started = exitOf(start)
  if (started === undefined) return Effect.uninterruptible(Effect.flatMap(start, guarded))
  if (Exit.isFailure(started)) return Effect.failCause(started.cause)
  const answered = guarded(started.value)
  return exitOf(answered) ?? Effect.uninterruptible(answered)
}

/**
 * Runs a generation to its end and answers the machine's final state: the synchronous answer is the fold of the streamed
 * one. Fails with the generation's failure; interruption cancels it. It begins when it is called, and what needs no
 * waiting is done then: run what this gives.
 */
export const folded = <S, F extends Frame>(
  options: { readonly generation: Generation; readonly machine: Machine<S, F> } & Ending<S>
): Effect.Effect<S, Failure> => {
  const { generation, machine } = options
  let state = machine.initial

  /** Steps through what is there already; answers what to wait for, or how it ended. */
  const advance = (given: Batch | undefined | Promise<Batch | undefined>): Promise<Batch | undefined> | Over => {
    let batch = given
    while (!(batch instanceof Promise)) {
      for (const event of batch ?? [upstreamEnded]) {
        if (event.type === "failed") return event
        state = machine.step(state, event)[0]
        if (event.type === "finished") return event
      }
      batch = generation.next()
    }
    return batch
  }

  const over = (how: How) => {
    generation.cancel(how)
    options.ended?.(state, how)
  }

  const conclude = (event: Over): Effect.Effect<S, Failure> => {
    if (event.type === "failed") {
      over("failed")
      return Effect.fail(event.failure)
    }
    const stored = storing(options, state)
    if (stored !== undefined) {
      return Effect.onExit(
        Effect.map(
          Effect.promise(() => stored),
          () => state
        ),
        (exit) => Effect.sync(() => over(Exit.isSuccess(exit) ? "finished" : "failed"))
      )
    }
    over("finished")
    return Effect.succeed(state)
  }

  const first = advance(generation.next())
  if (!(first instanceof Promise)) return conclude(first)
  return Effect.flatMap(
    Effect.async<Over>((resume) => {
      let open = true
      const wait = (batch: Promise<Batch | undefined>) => {
        void batch.then((given) => {
          if (!open) return
          const next = advance(given)
          if (next instanceof Promise) wait(next)
          else resume(Effect.succeed(next))
        })
      }
      wait(first)
      return Effect.sync(() => {
        open = false
        over("hang-up")
      })
    }),
    conclude
  )
}

type Over = Extract<GenerationEvent, { readonly type: "finished" | "failed" }>
