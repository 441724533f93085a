import { Effect } from "effect"
import type { Cause, Duration, Runtime } from "effect"
import { Failed, Future } from "../flow/Future.ts"
import type { Settled } from "../flow/Future.ts"
import { PendingFuture } from "../flow/PendingFuture.ts"
import { runFuture } from "../flow/runFuture.ts"

/** Two calls for one answer, of which the second begins if the first is silent for a while. */
export interface Hedged<A, E> {
  readonly runtime: Runtime.Runtime<never>
  readonly after: Duration.DurationInput
  readonly first: () => Future<A, E>
  readonly second: () => Future<A, E>
  /** False once no second call is to begin. */
  readonly isWanted: () => boolean
  /** True for a failure of the first call that the second one can't mend. */
  readonly isFinal: (cause: Cause.Cause<E>) => boolean
  /** Called once if the outcome of one call decides, before the other one is interrupted. */
  readonly won: (by: Side) => void
  /** Releases an answer that comes too late. */
  readonly lost: (value: A) => void
}

type Side = "first" | "second"

/** The answer of the call that was faster, or the causes of the calls that began. */
export type HedgeOutcome<A, E> =
  | { readonly answer: A }
  | { readonly first: Cause.Cause<E>; readonly second: Cause.Cause<E> | undefined }

/**
 * Makes both calls and answers with the faster one; the other is interrupted. It fails once both calls have, or the first
 * one before the second began. An interruption stops both.
 */
export const hedgedCall = <A, E>(calls: Hedged<A, E>): Future<HedgeOutcome<A, E>> => {
  const first = calls.first()
  const { settled } = first
  return settled === undefined ? new Race(calls, first) : Future.succeed(outcomeOf(settled, undefined))
}

const outcomeOf = <A, E>(end: Settled<A, E>, second: Cause.Cause<E> | undefined): HedgeOutcome<A, E> =>
  end instanceof Failed ? { first: end.cause, second } : { answer: end.value }

class Race<A, E> extends PendingFuture<HedgeOutcome<A, E>> {
  readonly #calls: Hedged<A, E>
  readonly #first: Future<A, E>
  readonly #timer: Future<void>
  #second: Future<A, E> | undefined
  #firstFailed: Cause.Cause<E> | undefined
  #secondFailed: Cause.Cause<E> | undefined
  /** The ends of calls that are stopped decide nothing. */
  #isStopped = false

  constructor(calls: Hedged<A, E>, first: Future<A, E>) {
    super()
    this.#calls = calls
    this.#first = first
    this.#timer = runFuture(calls.runtime, Effect.sleep(calls.after))
    first.onDone((end) => this.#done("first", end))
    this.#timer.onDone((end) => {
      if (!(end instanceof Failed)) this.#hedge()
    })
  }

  protected override abandon(): void {
    this.#isStopped = true
    this.#timer.interrupt()
    this.#first.interrupt()
    this.#second?.interrupt()
  }

  #hedge(): void {
    if (this.settled !== undefined || this.#firstFailed !== undefined || !this.#calls.isWanted()) return
    this.#second = Future.attempt(this.#calls.second)
    this.#second.onDone((end) => this.#done("second", end))
  }

  #done(side: Side, end: Settled<A, E>): void {
    if (this.#isStopped || this.settled !== undefined) {
      if (!(end instanceof Failed)) this.#calls.lost(end.value)
      return
    }
    if (!(end instanceof Failed)) {
      this.#calls.won(side)
      return this.#conclude({ answer: end.value })
    }
    if (side === "second") this.#secondFailed = end.cause
    else this.#firstFailed = end.cause
    const [first, second] = [this.#firstFailed, this.#secondFailed]
    const isOver = this.#second === undefined || second !== undefined || this.#calls.isFinal(end.cause)
    if (first === undefined || !isOver) return
    if (this.#second !== undefined && second === undefined) this.#calls.won("first")
    this.#conclude({ first, second })
  }

  #conclude(outcome: HedgeOutcome<A, E>): void {
    this.end(Future.succeed(outcome))
    this.abandon()
  }
}
