import { Effect } from "effect"
import * as Eager from "../contract/eager.ts"
import { exitOf } from "../contract/eager.ts"
import type { Failure } from "../contract/Failure.ts"
import { Pending } from "../contract/Pending.ts"
import { storing, upstreamEnded } from "./ending.ts"
import type { Ending } from "./ending.ts"
import type { Batch, Generation, How } from "./Generation.ts"
import type { Frame, Machine } from "./Machine.ts"

/**
 * Starts a generation and answers with it: whenever the caller is interrupted, the generation is cancelled. What has
 * started at once is answered at once: run what this gives.
 */
export const answering = <A, E, E2>(
  start: Effect.Effect<Generation, E>,
  answer: (generation: Generation) => Effect.Effect<A, E2>
): Effect.Effect<A, E | E2> =>
  Eager.uninterruptible(
    Eager.flatMap(start, (generation): Effect.Effect<A, E2> => {
      const answered = answer(generation)
      // One that is under way cancels it by itself.
      return answered instanceof Pending || exitOf(answered) !== undefined
        ? answered
        : Effect.onInterrupt(Effect.interruptible(answered), () => Effect.sync(() => generation.cancel()))
    })
  )

type Folded<S, F extends Frame> = { readonly generation: Generation; readonly machine: Machine<S, F> } & Ending<S>

/**
 * Runs a generation to its end and answers the machine's final state: the synchronous answer is the fold of the streamed
 * one. Fails with the generation's failure; interruption cancels it. It begins when it is called, and what needs no
 * waiting is done then: run what this gives.
 */
export const folded = <S, F extends Frame>(options: Folded<S, F>): Effect.Effect<S, Failure> =>
  new Folding(options).begin()

class Folding<S, F extends Frame> extends Pending<S, Failure> {
  readonly #options: Folded<S, F>
  #state: S
  #isOpen = true
  /** How it ends if the client leaves now. */
  #left: How = "hang-up"

  constructor(options: Folded<S, F>) {
    super()
    this.#options = options
    this.#state = options.machine.initial
  }

  begin(): Effect.Effect<S, Failure> {
    return this.#goOn(this.#options.generation.next()) ?? this
  }

  /** Goes on with what is there; answers how it ended, or nothing where that must be waited for. */
  #goOn(given: Batch | undefined | Promise<Batch | undefined>): Effect.Effect<S, Failure> | undefined {
    const { generation, machine } = this.#options
    let batch = given
    while (!(batch instanceof Promise)) {
      for (const event of batch ?? [upstreamEnded]) {
        if (event.type === "failed") return this.#end("failed", Effect.fail(event.failure))
        this.#state = machine.step(this.#state, event)[0]
        if (event.type === "finished") return this.#conclude()
      }
      batch = generation.next()
    }
    void batch.then((next) => this.#next(next))
    return undefined
  }

  #next(batch: Batch | undefined): void {
    if (!this.#isOpen) return
    try {
      this.#endWith(this.#goOn(batch))
    } catch (cause) {
      this.#endWith(this.#end("failed", Effect.die(cause)))
    }
  }

  /** What it comes to once what it waits for is stored. */
  #conclude(): Effect.Effect<S, Failure> | undefined {
    const stored = storing(this.#options, this.#state)
    if (stored === undefined) return this.#end("finished", Effect.succeed(this.#state))
    this.#left = "failed"
    stored.then(
      () => this.#isOpen && this.#endWith(this.#end("finished", Effect.succeed(this.#state))),
      (cause: unknown) => this.#isOpen && this.#endWith(this.#end("failed", Effect.die(cause)))
    )
    return undefined
  }

  #end(how: How, result: Effect.Effect<S, Failure>): Effect.Effect<S, Failure> {
    this.#close(how)
    return result
  }

  #close(how: How): void {
    this.#isOpen = false
    this.#options.generation.cancel(how)
    this.#options.ended?.(this.#state, how)
  }

  #endWith(result: Effect.Effect<S, Failure> | undefined): void {
    if (result !== undefined) this.end(result)
  }

  protected override abandon(): void {
    if (this.#isOpen) this.#close(this.#left)
  }
}
