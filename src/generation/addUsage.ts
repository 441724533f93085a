import { hourly, hourTokens } from "./GenerationEvent.ts"
import { hostedCalls } from "../contract/HostedCall.ts"
import type { CallCounts, Usage } from "./GenerationEvent.ts"

/** The sum of two generations' usage. */
export const addUsage = (one: Usage, other: Usage): Usage => ({
  inputTokens: one.inputTokens + other.inputTokens,
  cacheReadTokens: one.cacheReadTokens + other.cacheReadTokens,
  cacheWriteTokens: one.cacheWriteTokens + other.cacheWriteTokens,
  ...hourly(hourTokens(one) + hourTokens(other)),
  outputTokens: one.outputTokens + other.outputTokens,
  reasoningTokens: one.reasoningTokens + other.reasoningTokens,
  searches: one.searches + other.searches,
  ...addCalls(one.calls, other.calls),
  ...besides([...(one.besides ?? []), ...(other.besides ?? [])])
})

const addCalls = (one: CallCounts = {}, other: CallCounts = {}): Pick<Usage, "calls"> =>
  callsOf(Object.fromEntries(hostedCalls.map((call) => [call, (one[call] ?? 0) + (other[call] ?? 0)])))

/** The calls of a usage, if there are any. */
export const callsOf = (counts: CallCounts): Pick<Usage, "calls"> => {
  const some = Object.entries(counts).filter(([, count]) => count !== 0)
  return some.length === 0 ? {} : { calls: Object.fromEntries(some) }
}

/** The other generations of a usage, if there are any. */
export const besides = (all: ReadonlyArray<Usage>): Pick<Usage, "besides"> => (all.length === 0 ? {} : { besides: all })

/** A usage whose counts include those of the generations besides. */
export const wholeUsage = <A extends Usage>(usage: A): A | Usage => {
  if (usage.besides === undefined) return usage
  const { besides: others, ...own }: Usage = usage
  return others?.reduce(addUsage, own) ?? own
}
