import type { Failure } from "../contract/failures/Failure.ts"
import { Future } from "../flow/Future.ts"
import type { Settled } from "../flow/Future.ts"
import { PendingFuture } from "../flow/PendingFuture.ts"
import { finish, storeEnd, upstreamEnded } from "./ending.ts"
import type { Running } from "./ending.ts"
import type { Batch, GenerationEnding } from "../generation/Generation.ts"
import type { Frame, Machine } from "../generation/Machine.ts"

interface Folded<S, F extends Frame> extends Running<S> {
  readonly machine: Machine<S, F>
}

/**
 * Runs a generation to its end and returns the machine's final state, so that a whole answer is the fold of the
 * streamed one. Fails with the generation's failure; an interruption cancels it.
 */
export const fold = <S, F extends Frame>(options: Folded<S, F>): Future<S, Failure> => new Folding(options).begin()

class Folding<S, F extends Frame> extends PendingFuture<S, Failure> {
  readonly #options: Folded<S, F>
  #state: S
  #isOpen = true
  /** The ending if the client disconnects now. */
  #left: GenerationEnding = "hang-up"

  constructor(options: Folded<S, F>) {
    super()
    this.#options = options
    this.#state = options.machine.initial
  }

  begin(): Future<S, Failure> {
    return this.#goOn(this.#options.generation.next()) ?? this
  }

  /** Processes the available batches. Returns the result, or undefined if it has to wait. */
  #goOn(given: Batch | undefined | Promise<Batch | undefined>): Settled<S, Failure> | undefined {
    const { generation, machine } = this.#options
    let batch = given
    while (!(batch instanceof Promise)) {
      for (const event of batch ?? [upstreamEnded]) {
        if (event.type === "failed") return this.#end("failed", Future.fail(event.failure))
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
      this.#endWith(this.#end("failed", Future.die(cause)))
    }
  }

  /** The result, after pending writes. */
  #conclude(): Settled<S, Failure> | undefined {
    const stored = storeEnd(this.#options, this.#state)
    if (stored === undefined) return this.#end("finished", Future.succeed(this.#state))
    this.#left = "failed"
    stored.then(
      () => this.#isOpen && this.#endWith(this.#end("finished", Future.succeed(this.#state))),
      (cause: unknown) => this.#isOpen && this.#endWith(this.#end("failed", Future.die(cause)))
    )
    return undefined
  }

  #end(how: GenerationEnding, result: Settled<S, Failure>): Settled<S, Failure> {
    this.#close(how)
    return result
  }

  #close(how: GenerationEnding): void {
    this.#isOpen = false
    finish(this.#options, this.#state, how)
  }

  #endWith(result: Settled<S, Failure> | undefined): void {
    if (result !== undefined) this.end(result)
  }

  protected override abandon(): void {
    if (this.#isOpen) this.#close(this.#left)
  }
}
