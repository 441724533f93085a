import { Effect } from "effect"
import type { Runtime } from "effect"
import { runFuture } from "../flow/runFuture.ts"
import type { Future } from "../flow/Future.ts"
import { nextTurn } from "../flow/eventLoop.ts"
import { allFutures } from "../flow/allFutures.ts"
import type { Conversation } from "../generation/Conversation.ts"
import type { Generation } from "../generation/Generation.ts"
import { countOf, countsBy } from "../contract/records/measures.ts"
import type { Usage } from "../generation/GenerationEvent.ts"

/** Several answers to one request. */
export interface Several {
  readonly count: number
  /** The inputs, if the answers are to several; otherwise they are all to the conversation. */
  readonly inputs?: Inputs
  /** Combines the generations of the calls into the one that is charged and answered. */
  readonly join: (generations: ReadonlyArray<Generation>) => Generation
}

/** Inputs of one request, each of which has the same number of answers. The conversation is the longest one's. */
interface Inputs {
  readonly count: number
  /** The tokens of all of them. */
  readonly tokens: () => number
  /** The conversation of an answer. */
  readonly at: (conversation: Conversation, answer: number) => Conversation
}

/**
 * Calls an upstream concurrently for each answer. Each call begins in its own turn of the event loop, because the
 * request may be large.
 */
export const severally = <E>(
  several: Several,
  runtime: Runtime.Runtime<never>,
  conversation: Conversation,
  call: (conversation: Conversation) => Future<Generation, E>
): Future<Generation, E> => {
  const callAt = (index: number) => call(several.inputs?.at(conversation, index) ?? conversation)
  const calls = Array.from({ length: several.count }, (_, index) =>
    index === 0 ? callAt(index) : runFuture(runtime, afterTurns(index)).flatMap(() => callAt(index))
  )
  return allFutures(calls, (generation) => generation.cancel("failed")).map(several.join)
}

const afterTurns = (turns: number) =>
  Effect.promise(async () => {
    for (let turn = 0; turn < turns; turn++) await nextTurn()
  })

/**
 * The input that calls have read. Of several inputs, a call that passes through reads all, any other one of them.
 *
 * @param ofOne the tokens of the conversation
 */
export const readBy = (calls: number, several: Several | undefined, isPassed: boolean, ofOne: () => number): number => {
  if (calls === 0) return 0
  const inputs = several?.inputs
  if (inputs === undefined) return calls * ofOne()
  return Math.ceil((calls * inputs.tokens()) / (isPassed ? 1 : inputs.count))
}

/** The approximate usage of one of several answers. */
export const shareOf = (usage: Usage, answers: number): Usage => {
  if (answers === 1) return usage
  const share = (tokens: number) => Math.ceil(tokens / answers)
  return countsBy((measure) => share(countOf(usage, measure)))
}
