import { Effect } from "effect"
import type { Failure } from "../../contract/failures/Failure.ts"
import { addUsage } from "../../generation/addUsage.ts"
import type { Item } from "../../generation/Conversation.ts"
import type { GenerationEvent } from "../../generation/GenerationEvent.ts"
import type { WrittenCall } from "../Round.ts"
import { storedEnd } from "./earlierRounds.ts"
import type { JournalEnd, JournalUse, RoundJournal } from "./RoundJournal.ts"

/** A round whose calls may leave. */
export interface CallingRound {
  /** The events that the client has seen of it. */
  readonly shown: ReadonlyArray<GenerationEvent>
  readonly said: ReadonlyArray<Item>
  readonly calls: ReadonlyArray<WrittenCall>
}

interface EndedRound {
  readonly ends: ReadonlyArray<JournalEnd>
  readonly use: JournalUse
}

/** Runs the allowed calls of a round, and refuses the others, in their places. The journal has them before and after. */
export const journaledCalls = (
  journal: RoundJournal | undefined,
  number: number,
  { calls, said, shown }: CallingRound,
  allowed: ReadonlyArray<WrittenCall>,
  use: JournalUse
): Effect.Effect<EndedRound, Failure> =>
  Effect.gen(function* () {
    const isRun = new Set(allowed)
    const sent = calls.map((one) => ({ ...one.call, isSent: isRun.has(one) }))
    const round = { shown: shown.filter(isReplayed), said, calls: sent }
    if (journal !== undefined) yield* journal.begin(number, round, use)
    const all = yield* Effect.forEach(
      calls,
      (one) => (isRun.has(one) ? one.tool.run(one.call) : one.tool.refuse(one.call)),
      { concurrency: 4 }
    )
    const ends = all.map(storedEnd)
    const called = all.reduce((sum, { usage }) => addUsage(sum, usage), use.called)
    if (journal !== undefined) yield* journal.end(number, { ...round, ends }, { ...use, called })
    return { ends, use: { ...use, called } }
  })

/** The caller's own calls are not told again: a later run's model makes them anew. */
const isReplayed = ({ type }: GenerationEvent): boolean =>
  type !== "started" && type !== "tool-call-start" && type !== "tool-call-delta" && type !== "tool-call-end"
