import { Effect } from "effect"
import type { Failure } from "../../contract/failures/Failure.ts"
import type { Conversation } from "../../generation/Conversation.ts"
import { addUsage } from "../../generation/addUsage.ts"
import type { Usage } from "../../generation/GenerationEvent.ts"
import { afterCalls, withFound, withoutTools } from "../offeredTools.ts"
import { mostRounds } from "../mostRounds.ts"
import type { ServerCallEnd, ServerTool } from "../ServerTool.ts"
import { unknownEnd } from "./unknownEnd.ts"
import type { EarlierRounds, JournalCall, JournalEnd, JournalRound, OpenJournal } from "./RoundJournal.ts"

/**
 * The rounds of earlier runs. Calls whose end is not known are ended first: they are called again if their tool allows
 * it, and otherwise the model is told. Undefined if there was no round.
 */
export const earlierRounds = (
  journal: OpenJournal,
  tools: ReadonlyArray<ServerTool>
): Effect.Effect<EarlierRounds | undefined, Failure> => {
  const { rounds } = journal
  const last = rounds.at(-1)
  const { toolCalls: paid = [] } = journal.use.called
  if (last === undefined) return Effect.succeed(undefined)
  if (last.ends !== undefined) return Effect.succeed(summed(rounds, journal.use, paid))
  return Effect.gen(function* () {
    const ends = yield* Effect.forEach(last.calls, (call) => endOf(call, last, tools), { concurrency: 4 })
    const called = ends.reduce<Usage>((sum, { usage }) => addUsage(sum, usage), journal.use.called)
    const round = { ...last, ends: ends.map(storedEnd) }
    const use = { ...journal.use, called }
    yield* journal.end(rounds.length, round, use)
    return summed([...rounds.slice(0, -1), round], use, paid)
  })
}

/** The end of a call, as it is stored. */
export const storedEnd = ({ events, found, items }: ServerCallEnd): JournalEnd => ({
  events,
  items: items(),
  ...(found !== undefined && { found })
})

const endOf = (
  call: JournalCall,
  { shown }: JournalRound,
  tools: ReadonlyArray<ServerTool>
): Effect.Effect<ServerCallEnd> => {
  const tool = tools.find(({ names }) => names.has(call.name))
  if (!call.isSent && tool !== undefined) return tool.refuse(call)
  if (tool?.mayRepeat?.(call) === true) return tool.run(call)
  const isShown = shown.some((event) => event.type === "server-call-start" && event.id === call.id)
  return Effect.succeed(unknownEnd(call, isShown))
}

const summed = (
  rounds: ReadonlyArray<JournalRound>,
  use: OpenJournal["use"],
  paid: EarlierRounds["paid"]
): EarlierRounds => ({
  ...use,
  paid,
  count: rounds.length,
  shown: rounds.flatMap(({ ends = [], shown }) => [...shown, ...ends.flatMap(({ events }) => events)]),
  items: rounds.flatMap(({ ends = [], said }) => [
    ...said,
    ...ends.map(({ items: [call] }) => call),
    ...ends.map(({ items: [, result] }) => result)
  ]),
  calls: rounds.flatMap(({ calls }) => calls),
  found: rounds.flatMap(({ ends = [] }) => ends.flatMap(({ found = [] }) => found))
})

/** The conversation for the round after these. */
export const goingOn = (
  conversation: Conversation,
  earlier: EarlierRounds,
  tools: ReadonlyArray<ServerTool>
): Conversation => {
  const { maxOutputTokens } = conversation
  const next: Conversation = {
    ...conversation,
    items: [...conversation.items, ...earlier.items],
    tools: withFound(conversation.tools, [earlier]),
    toolChoice: afterCalls(conversation.toolChoice, new Set(earlier.calls.map(({ name }) => name))),
    maxOutputTokens:
      maxOutputTokens === undefined ? undefined : Math.max(1, maxOutputTokens - earlier.used.outputTokens)
  }
  return earlier.count + 1 < mostRounds ? next : withoutTools(next, new Set(tools.flatMap(({ names }) => [...names])))
}
