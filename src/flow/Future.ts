import { Cause, Either, Exit, FiberId } from "effect"

/** The result of a future. */
export type Settled<A, E = never> = Succeeded<A> | Failed<E>

/**
 * Work that has already begun. Unlike an effect, it runs once and can be awaited any number of times. Continuations are
 * plain calls, made at once if the result is known: a fiber for each would cost more than the rest of a request. An
 * exception in one is a defect. `toEffect` converts a future to an effect, `begin` does the reverse.
 */
export abstract class Future<out A, out E = never> {
  /** Never set. It makes the linter report a future that is dropped; a settled one may be. */
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

  /** Turns a thrown exception into a defect. */
  static attempt<A, E>(call: () => Future<A, E>): Future<A, E> {
    try {
      return call()
    } catch (defect) {
      return Future.die(defect)
    }
  }

  /** The result; undefined while the work is running. */
  abstract get settled(): Settled<A, E> | undefined

  abstract matchCause<B, E2, C, E3>(cases: {
    readonly onFailure: (cause: Cause.Cause<E>) => Future<B, E2>
    readonly onSuccess: (value: A) => Future<C, E3>
  }): Future<B | C, E2 | E3>

  abstract map<B>(change: (value: A) => B): Future<B, E>

  abstract flatMap<B, E2>(next: (value: A) => Future<B, E2>): Future<B, E | E2>

  abstract catchAll<B, E2>(instead: (error: E) => Future<B, E2>): Future<A | B, E2>

  /** Calls back with the result, at once if it is known. */
  abstract onDone(told: (end: Settled<A, E>) => void): void

  /** Stops the work. Continuations see an interruption. May be called any number of times. */
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

/** The result of interrupted work. */
export const interrupted = new Failed<never>(Cause.interrupt(FiberId.none))
