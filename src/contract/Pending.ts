import { Effect, Effectable, Exit, FiberId } from "effect"

/** What follows: what something came to becomes what follows from it. */
type Step = (end: Effect.Effect<unknown, unknown>) => Effect.Effect<unknown, unknown>

/**
 * An effect that is under way already and goes on without a fiber: whoever does the work says what it came to, what was
 * to follow (`eager.ts`) happens at once, and one plain call tells whoever waits. A request that waits for its upstream
 * is one of these and no fiber, whose operators and turns of the scheduler cost more than all else that the request
 * does. In a fiber it is an effect like any other. It has begun, so it is to be waited for, once.
 */
export abstract class Pending<A, E = never> extends Effectable.Class<A, E> {
  #steps: Array<Step> | undefined
  #isOver = false
  /** What is waited for now: one of the steps began something else. */
  #inner: Pending<A, E> | undefined
  #end: Effect.Effect<A, E> | undefined
  #heard: ((end: Effect.Effect<A, E>) => void) | undefined

  /** Stops the work and lets go of what it made: nobody waits any more. Any number of times. */
  protected abstract abandon(): void

  /** Says what it came to; the first time counts. */
  protected end(end: Effect.Effect<A, E>): void {
    if (this.#isOver) return
    this.#isOver = true
    let next: Effect.Effect<unknown, unknown> = end
    for (const step of this.#steps ?? []) next = after(next, step)
    this.#steps = undefined
    // oxlint-disable-next-line typescript/consistent-type-assertions -- `followedBy` has given this the type of its last step
    this.#become(next as Effect.Effect<A, E>)
  }

  #become(next: Effect.Effect<A, E>): void {
    if (next instanceof Pending) {
      this.#inner = next
      next.hear((end) => this.#become(end))
      return
    }
    this.#inner = undefined
    this.#end = next
    this.#heard?.(next)
  }

  /** What follows what it comes to. */
  followedBy<B, E2>(step: (end: Effect.Effect<A, E>) => Effect.Effect<B, E2>): Effect.Effect<B, E2> {
    // oxlint-disable-next-line typescript/consistent-type-assertions -- the step before gives what this one takes
    const next = step as Step
    if (this.#end !== undefined) {
      // oxlint-disable-next-line typescript/consistent-type-assertions -- and what it gives is the step's own
      return after(this.#end, next) as Effect.Effect<B, E2>
    }
    if (this.#inner === undefined) (this.#steps ??= []).push(next)
    else void this.#inner.followedBy(next)
    // oxlint-disable-next-line typescript/consistent-type-assertions -- the same thing, which now comes to something else
    return this as unknown as Effect.Effect<B, E2>
  }

  /** Tells what it came to: mostly an `Exit`, else what is left to be run, uninterruptibly. */
  hear(heard: (end: Effect.Effect<A, E>) => void): void {
    if (this.#end !== undefined) heard(this.#end)
    else this.#heard = heard
  }

  /** What is under way stops, and what follows it hears of an interruption. */
  interrupt(): void {
    if (this.#inner !== undefined) return this.#inner.interrupt()
    if (this.#isOver) return
    this.abandon()
    this.end(interruption)
  }

  /** In a fiber what follows is the fiber's own. */
  override commit(): Effect.Effect<A, E> {
    const known = this.#end ?? this.#inner
    if (known !== undefined) return known
    const steps = this.#steps ?? []
    this.#steps = undefined
    const waiting = Effect.async<unknown, unknown>((resume) => {
      this.hear(resume)
      // It may have ended, and the fiber been interrupted before it could go on.
      return Effect.sync(() => this.abandon())
    })
    // oxlint-disable-next-line typescript/consistent-type-assertions -- the last step gives what this comes to
    return steps.reduce(after, Effect.interruptible(waiting)) as Effect.Effect<A, E>
  }
}

const interruption = Exit.interrupt(FiberId.none)

const after = (end: Effect.Effect<unknown, unknown>, step: Step): Effect.Effect<unknown, unknown> => {
  if (end instanceof Pending) return end.followedBy(step)
  try {
    return step(end)
  } catch (cause) {
    return Effect.die(cause)
  }
}
