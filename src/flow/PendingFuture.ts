import type { Cause } from "effect"
import { Future, interrupted } from "./Future.ts"
import type { Settled } from "./Future.ts"

/** Called once with the result. */
interface Waiter<A, E> {
  readonly ended: (end: Settled<A, E>) => void
}

/** Continues with the result. */
type Step<A, E, B, E2> = (end: Future<A, E>) => Future<B, E2>

/** Running work. A subclass sets the result with `end`; waiters are called directly. */
export abstract class PendingFuture<A, E = never> extends Future<A, E> {
  #settled: Settled<A, E> | undefined
  /** Usually there is only one. */
  #waiter: Waiter<A, E> | undefined
  #others: Array<Waiter<A, E>> | undefined

  /** Releases the work's resources after an interruption. */
  protected abandon(): void {}

  /** Sets the result. Only the first call counts. */
  protected end(end: Settled<A, E>): void {
    if (this.#settled !== undefined) return
    this.#settled = end
    const [waiter, others] = [this.#waiter, this.#others]
    this.#waiter = this.#others = undefined
    waiter?.ended(end)
    if (others !== undefined) for (const other of others) other.ended(end)
  }

  get settled(): Settled<A, E> | undefined {
    return this.#settled
  }

  /** `onDone` without a closure. */
  tell(waiter: Waiter<A, E>): void {
    if (this.#settled !== undefined) waiter.ended(this.#settled)
    else if (this.#waiter === undefined) this.#waiter = waiter
    else (this.#others ??= []).push(waiter)
  }

  onDone(told: (end: Settled<A, E>) => void): void {
    this.tell({ ended: told })
  }

  interrupt(): void {
    if (this.#settled !== undefined) return
    this.abandon()
    this.end(interrupted)
  }

  matchCause<B, E2, C, E3>(cases: {
    readonly onFailure: (cause: Cause.Cause<E>) => Future<B, E2>
    readonly onSuccess: (value: A) => Future<C, E3>
  }): Future<B | C, E2 | E3> {
    return this.#followedBy((end) => end.matchCause(cases))
  }

  map<B>(change: (value: A) => B): Future<B, E> {
    return this.#followedBy((end) => end.map(change))
  }

  flatMap<B, E2>(next: (value: A) => Future<B, E2>): Future<B, E | E2> {
    return this.#followedBy((end) => end.flatMap(next))
  }

  catchAll<B, E2>(instead: (error: E) => Future<B, E2>): Future<A | B, E2> {
    return this.#followedBy((end) => end.catchAll(instead))
  }

  #followedBy<B, E2>(step: Step<A, E, B, E2>): Future<B, E2> {
    return this.#settled === undefined ? new Following(this, step) : step(this.#settled)
  }
}

/** The continuation of running work, which may itself return running work. */
class Following<A, E, B, E2> extends PendingFuture<B, E2> implements Waiter<A, E> {
  /** The work that is awaited now. */
  #work: Future<unknown, unknown>
  readonly #step: Step<A, E, B, E2>
  #isInterrupted = false

  constructor(work: PendingFuture<A, E>, step: Step<A, E, B, E2>) {
    super()
    this.#work = work
    this.#step = step
    work.tell(this)
  }

  ended(end: Settled<A, E>): void {
    const next = this.#step(end)
    const { settled } = next
    if (settled !== undefined) return this.end(settled)
    this.#work = next
    next.onDone((last) => this.end(last))
    // The first work ended before the interruption reached it.
    if (this.#isInterrupted) next.interrupt()
  }

  override interrupt(): void {
    this.#isInterrupted = true
    this.#work.interrupt()
  }
}
