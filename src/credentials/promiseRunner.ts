import { Effect, Either, Runtime } from "effect"

/** Runs effects as promises that reject with the effect's own error. */
export const promiseRunner = (runtime: Runtime.Runtime<never>) => {
  const run = Runtime.runPromise(runtime)
  return async <A, E>(effect: Effect.Effect<A, E>): Promise<A> =>
    Either.getOrThrowWith(await run(Effect.either(effect)), (error) => error)
}
