import { Effect } from "effect"
import type { Runtime } from "effect"
import { runFuture } from "../flow/runFuture.ts"
import type { Future } from "../flow/Future.ts"
import { nextTurn } from "../flow/eventLoop.ts"
import { allFutures } from "../flow/allFutures.ts"
import type { Generation } from "../generation/Generation.ts"
import { countOf, countsBy } from "../contract/records/measures.ts"
import type { Usage } from "../generation/GenerationEvent.ts"

/** Several answers to one request. */
export interface Several {
  readonly count: number
  /** Combines the generations of the calls into the one that is charged and answered. */
  readonly join: (generations: ReadonlyArray<Generation>) => Generation
}

/**
 * Calls an upstream concurrently for each answer. Each call begins in its own turn of the event loop, because the
 * request may be large.
 */
export const severally = <E>(
  several: Several,
  runtime: Runtime.Runtime<never>,
  call: () => Future<Generation, E>
): Future<Generation, E> => {
  const calls = Array.from({ length: several.count }, (_, index) =>
    index === 0 ? call() : runFuture(runtime, afterTurns(index)).flatMap(call)
  )
  return allFutures(calls, (generation) => generation.cancel("failed")).map(several.join)
}

const afterTurns = (turns: number) =>
  Effect.promise(async () => {
    for (let turn = 0; turn < turns; turn++) await nextTurn()
  })

/** The approximate usage of one of several answers. */
export const shareOf = (usage: Usage, answers: number): Usage => {
  if (answers === 1) return usage
  const share = (tokens: number) => Math.ceil(tokens / answers)
  return countsBy((measure) => share(countOf(usage, measure)))
}
