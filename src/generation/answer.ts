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

  /** What it comes to, and what that waits for. */
  const conclude = (event: Over): Effect.Effect<S, Failure> | Promise<unknown> => {
    if (event.type === "failed") {
      over("failed")
      return Effect.fail(event.failure)
    }
    const stored = storing(options, state)
    if (stored !== undefined) return stored
    over("finished")
    return Effect.succeed(state)
  }

  const first = advance(generation.next())
  const already = first instanceof Promise ? first : conclude(first)
  if (!(already instanceof Promise)) return already
  return Effect.async<S, Failure>((resume) => {
    let isOpen = true
    /** How it ends if the client leaves now. */
    let left: How = "hang-up"

    const close = (how: How, result: Effect.Effect<S>) => {
      if (!isOpen) return
      isOpen = false
      over(how)
      resume(result)
    }
    const store = (stored: Promise<unknown>) => {
      left = "failed"
      stored.then(
        () => close("finished", Effect.succeed(state)),
        (cause: unknown) => close("failed", Effect.die(cause))
      )
    }
    const wait = (batch: Promise<Batch | undefined>) => {
      void batch.then((given) => {
        if (!isOpen) return
        const next = advance(given)
        if (next instanceof Promise) return wait(next)
        const result = conclude(next)
        if (result instanceof Promise) return store(result)
        isOpen = false
        resume(result)
      })
    }
    if (first instanceof Promise) wait(first)
    else store(already)
    return Effect.sync(() => {
      if (!isOpen) return
      isOpen = false
      over(left)
    })
  })
}

type Over = Extract<GenerationEvent, { readonly type: "finished" | "failed" }>
