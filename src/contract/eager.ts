import { Cause, Effect, Either, Exit } from "effect"
import { Pending } from "./Pending.ts"

/*
 * On the path of every request nearly everything is known at once, and a chain of effects that each succeed at once
 * still costs a fiber and its operators, more than the work itself. These go on at once where an effect is its own result
 * already, follow one that is under way (`Pending`) without a fiber, and are the operators of the same name otherwise. They
 * are not lazy: what they are given happens when they are called, so call them where the effect is about to be run.
 */

/** The result of an effect that is one already (`Effect.succeed`, an `Either`); undefined where it must run. */
export const exitOf = <A, E>(effect: Effect.Effect<A, E>): Exit.Exit<A, E> | undefined => {
  // oxlint-disable-next-line typescript/consistent-type-assertions -- `isExit` forgets the effect's own types
  if (Exit.isExit(effect)) return effect as Exit.Exit<A, E>
  if (!Either.isEither(effect)) return undefined
  // oxlint-disable-next-line typescript/consistent-type-assertions -- and so does `isEither`
  const either = effect as Either.Either<A, E>
  return Either.isRight(either) ? Exit.succeed(either.right) : Exit.fail(either.left)
}

/** Begins at once; what is thrown is a defect. */
export const suspend = <A, E>(begin: () => Effect.Effect<A, E>): Effect.Effect<A, E> => {
  try {
    return begin()
  } catch (cause) {
    return Effect.die(cause)
  }
}

/** An effect of which nothing but its waiting can be interrupted; one that is over or under way is that already. */
export const uninterruptible = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  effect instanceof Pending ? effect : (exitOf(effect) ?? Effect.uninterruptible(effect))

/** Its opposite, inside. */
export const interruptible = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  effect instanceof Pending ? effect : (exitOf(effect) ?? Effect.interruptible(effect))

export const flatMap = <A, E, B, E2>(
  effect: Effect.Effect<A, E>,
  next: (value: A) => Effect.Effect<B, E2>
): Effect.Effect<B, E | E2> => {
  if (effect instanceof Pending) return effect.followedBy((end) => flatMap(end, next))
  const exit = exitOf(effect)
  if (exit === undefined) return Effect.flatMap(effect, next)
  return Exit.isSuccess(exit) ? next(exit.value) : Effect.failCause(exit.cause)
}

export const map = <A, E, B>(effect: Effect.Effect<A, E>, change: (value: A) => B): Effect.Effect<B, E> =>
  flatMap(effect, (value) => Effect.succeed(change(value)))

export const matchCauseEffect = <A, E, B, E2, C, E3>(
  effect: Effect.Effect<A, E>,
  cases: {
    readonly onFailure: (cause: Cause.Cause<E>) => Effect.Effect<B, E2>
    readonly onSuccess: (value: A) => Effect.Effect<C, E3>
  }
): Effect.Effect<B | C, E2 | E3> => {
  if (effect instanceof Pending) return effect.followedBy((end) => matchCauseEffect(end, cases))
  const exit = exitOf(effect)
  if (exit === undefined) return Effect.matchCauseEffect(effect, cases)
  return Exit.isSuccess(exit) ? cases.onSuccess(exit.value) : cases.onFailure(exit.cause)
}

export const catchAll = <A, E, B, E2>(
  effect: Effect.Effect<A, E>,
  instead: (error: E) => Effect.Effect<B, E2>
): Effect.Effect<A | B, E2> => {
  if (effect instanceof Pending) return effect.followedBy((end) => catchAll(end, instead))
  const exit = exitOf(effect)
  if (exit === undefined) return Effect.catchAll(effect, instead)
  if (Exit.isSuccess(exit)) return Effect.succeed(exit.value)
  const failure = Cause.failureOrCause(exit.cause)
  return Either.isLeft(failure) ? instead(failure.left) : Effect.failCause(failure.right)
}

export const orDie = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A> =>
  matchCauseEffect(effect, {
    onFailure: (cause) => Effect.orDie(Effect.failCause(cause)),
    onSuccess: (value) => Effect.succeed(value)
  })
