import { Effect } from "effect"
import type { Runtime } from "effect"
import { begin } from "./begin.ts"
import type { Begun } from "./Begun.ts"
import { nextTurn } from "./eventLoop.ts"

/** Begins work at once, or once everyone else has had a turn: what belongs to a large body is worked on in steps. */
export const afterTurn = <A, E>(
  runtime: Runtime.Runtime<never>,
  isLarge: boolean | undefined,
  work: () => Begun<A, E>
): Begun<A, E> => (isLarge === true ? begin(runtime, Effect.promise(nextTurn)).flatMap(work) : work())
