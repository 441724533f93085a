import { Cause, Either, Exit, FiberId } from "effect"

/** What work came to. */
export type Settled<A, E = never> = Succeeded<A> | Failed<E>

/**
 * Work that has begun: what it came to, or work under way. No effect, which describes work and may be run again: this
 * has been done once and can be waited for any number of times. What follows follows at once where it is known, by plain
 * calls and without a fiber, whose operators cost more than all else that a request does; what is thrown there is a
 * defect. `toEffect` makes an effect of it, `begin` begins one.
 */
export abstract class Future<out A, out E = never> {
  /** Never there: for the linter, which lets nobody drop what may have it. What has ended may be dropped. */
  // oxlint-disable-next-line unicorn/no-thenable -- the type's alone
  declare readonly then: ((this: never, fulfilled: () => void, rejected: () => void) => void) | undefined

  static succeed<A>(value: A): Succeeded<A> {
    return new Succeeded(value)
  }

  static fail<E>(error: E): Failed<E> {
    return new Failed(Cause.fail(error))
  }

  static failCause<E>(cause: Cause.Cause<E>): Failed<E> {
    return new Failed(cause)
  }

  static die(defect: unknown): Failed<never> {
    return new Failed(Cause.die(defect))
  }

  /** What the call begins. */
  static attempt<A, E>(call: () => Future<A, E>): Future<A, E> {
    try {
      return call()
    } catch (defect) {
      return Future.die(defect)
    }
  }

  /** What it came to; undefined while it is under way. */
  abstract get settled(): Settled<A, E> | undefined

  abstract matchCause<B, E2, C, E3>(cases: {
    readonly onFailure: (cause: Cause.Cause<E>) => Future<B, E2>
    readonly onSuccess: (value: A) => Future<C, E3>
  }): Future<B | C, E2 | E3>

  abstract map<B>(change: (value: A) => B): Future<B, E>

  abstract flatMap<B, E2>(next: (value: A) => Future<B, E2>): Future<B, E | E2>

  abstract catchAll<B, E2>(instead: (error: E) => Future<B, E2>): Future<A | B, E2>

  /** Tells what it came to, at once where it is known. */
  abstract onDone(told: (end: Settled<A, E>) => void): void

  /** What is under way stops, and what follows it hears of an interruption; any number of times. */
  abstract interrupt(): void
}

export class Succeeded<out A> extends Future<A> {
  // oxlint-disable-next-line unicorn/no-thenable -- the type's alone
  declare readonly then: undefined
  readonly value: A

  constructor(value: A) {
    super()
    this.value = value
  }

  get settled(): this {
    return this
  }

  get exit(): Exit.Exit<A> {
    return Exit.succeed(this.value)
  }

  matchCause<C, E3>({ onSuccess }: { readonly onSuccess: (value: A) => Future<C, E3> }): Future<C, E3> {
    return this.flatMap(onSuccess)
  }

  map<B>(change: (value: A) => B): Future<B> {
    try {
      return new Succeeded(change(this.value))
    } catch (defect) {
      return Future.die(defect)
    }
  }

  flatMap<B, E2>(next: (value: A) => Future<B, E2>): Future<B, E2> {
    try {
      return next(this.value)
    } catch (defect) {
      return Future.die(defect)
    }
  }

  catchAll(): this {
    return this
  }

  onDone(told: (end: this) => void): void {
    told(this)
  }

  interrupt(): void {}
}

export class Failed<out E> extends Future<never, E> {
  // oxlint-disable-next-line unicorn/no-thenable -- the type's alone
  declare readonly then: undefined
  readonly cause: Cause.Cause<E>

  constructor(cause: Cause.Cause<E>) {
    super()
    this.cause = cause
  }

  get settled(): this {
    return this
  }

  get exit(): Exit.Exit<never, E> {
    return Exit.failCause(this.cause)
  }

  matchCause<B, E2>({ onFailure }: { readonly onFailure: (cause: Cause.Cause<E>) => Future<B, E2> }): Future<B, E2> {
    try {
      return onFailure(this.cause)
    } catch (defect) {
      return Future.die(defect)
    }
  }

  map(): this {
    return this
  }

  flatMap(): this {
    return this
  }

  catchAll<B, E2>(instead: (error: E) => Future<B, E2>): Future<B, E2> {
    const failure = Cause.failureOrCause(this.cause)
    if (Either.isRight(failure)) return new Failed(failure.right)
    try {
      return instead(failure.left)
    } catch (defect) {
      return Future.die(defect)
    }
  }

  onDone(told: (end: this) => void): void {
    told(this)
  }

  interrupt(): void {}
}

export const settledOf = <A, E>(exit: Exit.Exit<A, E>): Settled<A, E> =>
  Exit.isSuccess(exit) ? new Succeeded(exit.value) : new Failed(exit.cause)

/** What work comes to that was stopped. */
export const interrupted = new Failed<never>(Cause.interrupt(FiberId.none))
