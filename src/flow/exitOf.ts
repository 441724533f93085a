import { Either, Exit } from "effect"
import type { Effect } from "effect"

/** The result of an effect that needs no fiber (`Effect.succeed`, an `Either`); undefined if it must run. */
export const exitOf = <A, E>(effect: Effect.Effect<A, E>): Exit.Exit<A, E> | undefined => {
  if (isExit(effect)) return effect
  if (!isEither(effect)) return undefined
  return Either.isRight(effect) ? Exit.succeed(effect.right) : Exit.fail(effect.left)
}

/** `Exit.isExit` takes four calls and loses the effect's type. */
export const isExit = <A, E>(effect: Effect.Effect<A, E>): effect is Exit.Exit<A, E> =>
  "_tag" in effect && (effect._tag === "Success" || effect._tag === "Failure")

/** `Either.isEither`, for the same reasons. */
const isEither = <A, E>(effect: Effect.Effect<A, E>): effect is Either.Right<E, A> | Either.Left<E, A> =>
  "_tag" in effect && (effect._tag === "Right" || effect._tag === "Left")
