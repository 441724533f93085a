import { Either, Exit } from "effect"
import type { Effect } from "effect"

/** The result of an effect that is one already (`Effect.succeed`, an `Either`); undefined where it must run. */
export const exitOf = <A, E>(effect: Effect.Effect<A, E>): Exit.Exit<A, E> | undefined => {
  if (isExit(effect)) return effect
  if (!isEither(effect)) return undefined
  return Either.isRight(effect) ? Exit.succeed(effect.right) : Exit.fail(effect.left)
}

/** As `Exit.isExit`, which takes four calls to find out and forgets the effect's own types. */
const isExit = <A, E>(effect: Effect.Effect<A, E>): effect is Exit.Exit<A, E> =>
  "_tag" in effect && (effect._tag === "Success" || effect._tag === "Failure")

/** As `Either.isEither`, likewise. */
const isEither = <A, E>(effect: Effect.Effect<A, E>): effect is Either.Right<E, A> | Either.Left<E, A> =>
  "_tag" in effect && (effect._tag === "Right" || effect._tag === "Left")
