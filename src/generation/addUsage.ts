import { countOf, countsBy } from "../contract/records/measures.ts"
import { hostedCalls } from "../contract/records/HostedCall.ts"
import type { CallCounts } from "../contract/records/HostedCall.ts"
import { noUsage } from "./GenerationEvent.ts"
import type { PaidCalls, Usage } from "./GenerationEvent.ts"
import { served } from "../contract/records/Served.ts"

/** The sum of two generations' usage. A charge that only one of them tells is not the sum's. */
export const addUsage = (one: Usage, other: Usage): Usage => ({
  ...countsBy((measure) => countOf(one, measure) + countOf(other, measure)),
  ...addCalls(one.calls, other.calls),
  ...toolCallsOf([...(one.toolCalls ?? []), ...(other.toolCalls ?? [])]),
  ...besides([...(one.besides ?? []), ...(other.besides ?? [])]),
  ...served(other.served ?? one.served),
  ...told(one, other)
})

const told = (one: Usage, other: Usage): Pick<Usage, "toldNanoUsd"> => {
  const [first, second] = [one === noUsage ? 0 : one.toldNanoUsd, other === noUsage ? 0 : other.toldNanoUsd]
  return first === undefined || second === undefined || (one === noUsage && other === noUsage)
    ? {}
    : { toldNanoUsd: first + second }
}

const addCalls = (one: CallCounts = {}, other: CallCounts = {}): Pick<Usage, "calls"> =>
  callsOf(Object.fromEntries(hostedCalls.map((call) => [call, (one[call] ?? 0) + (other[call] ?? 0)])))

/** The calls of a usage, if there are any. */
export const callsOf = (counts: CallCounts): Pick<Usage, "calls"> => {
  const some = Object.entries(counts).filter(([, count]) => count !== 0)
  return some.length === 0 ? {} : { calls: Object.fromEntries(some) }
}

/** The paid calls of a usage, those of a tool together, if there are any. */
export const toolCallsOf = (all: ReadonlyArray<PaidCalls>): Pick<Usage, "toolCalls"> => {
  if (all.length === 0) return {}
  const sums = new Map<string, PaidCalls>()
  for (const one of all) {
    const name = `${one.rate} ${one.of}`
    sums.set(name, { ...one, count: one.count + (sums.get(name)?.count ?? 0) })
  }
  return { toolCalls: [...sums.values()] }
}

/** The other generations of a usage, if there are any. */
export const besides = (all: ReadonlyArray<Usage>): Pick<Usage, "besides"> => (all.length === 0 ? {} : { besides: all })

/**
 * A usage whose counts include those of the generations besides, as the charge that its provider tells does. It was served
 * as the answer itself was.
 */
export const wholeUsage = <A extends Usage>(usage: A): A | Usage => {
  if (usage.besides === undefined) return usage
  const { besides: others = [], served: own, toldNanoUsd, ...counts }: Usage = usage
  const { served: _, ...whole } = others.reduce(addUsage, counts)
  return { ...whole, ...served(own), ...(toldNanoUsd !== undefined && { toldNanoUsd }) }
}
