import { Effect } from "effect"
import type { Runtime } from "effect"
import { runFuture } from "../flow/runFuture.ts"
import type { Future } from "../flow/Future.ts"
import { nextTurn } from "../flow/eventLoop.ts"
import { allFutures } from "../flow/allFutures.ts"
import type { Generation } from "../generation/Generation.ts"
import { hourly, hourTokens } from "../generation/GenerationEvent.ts"
import type { Usage } from "../generation/GenerationEvent.ts"

/** More than one answer to a request. */
export interface Several {
  readonly count: number
  /** What the calls began, as the one generation that is paid for and answered. */
  readonly join: (generations: ReadonlyArray<Generation>) => Generation
}

/** Calls an upstream once for each answer, side by side. Each is begun in a turn of its own: its request may be large. */
export const severally = <E>(
  several: Several | undefined,
  runtime: Runtime.Runtime<never>,
  call: () => Future<Generation, E>
): Future<Generation, E> => {
  if (several === undefined) return call()
  const calls = Array.from({ length: several.count }, (_, index) =>
    index === 0 ? call() : runFuture(runtime, afterTurns(index)).flatMap(call)
  )
  return allFutures(calls, (generation) => generation.cancel("failed")).map(several.join)
}

const afterTurns = (turns: number) =>
  Effect.promise(async () => {
    for (let turn = 0; turn < turns; turn++) await nextTurn()
  })

/** What one of several answers used, about. */
export const shareOf = (usage: Usage, answers: number): Usage => {
  if (answers === 1) return usage
  const share = (tokens: number) => Math.ceil(tokens / answers)
  return {
    inputTokens: share(usage.inputTokens),
    cacheReadTokens: share(usage.cacheReadTokens),
    cacheWriteTokens: share(usage.cacheWriteTokens),
    ...hourly(share(hourTokens(usage))),
    outputTokens: share(usage.outputTokens),
    reasoningTokens: share(usage.reasoningTokens),
    searches: share(usage.searches)
  }
}
