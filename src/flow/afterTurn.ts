import { Effect } from "effect"
import type { Runtime } from "effect"
import { runFuture } from "./runFuture.ts"
import type { Future } from "./Future.ts"
import { nextTurn } from "./eventLoop.ts"

/** Begins work at once, or after other work had a turn of the event loop: large bodies are processed in steps. */
export const afterTurn = <A, E>(
  runtime: Runtime.Runtime<never>,
  isLarge: boolean | undefined,
  work: () => Future<A, E>
): Future<A, E> => (isLarge === true ? runFuture(runtime, Effect.promise(nextTurn)).flatMap(work) : work())
