import { besides, callsOf } from "../../../generation/addUsage.ts"
import type { JsonObject } from "../../../contract/fields.ts"
import type { CallCounts } from "../../../contract/records/HostedCall.ts"
import type { Usage } from "../../../generation/GenerationEvent.ts"
import type { Served } from "../../../contract/records/Served.ts"
import { hourly, noUsage } from "../../../generation/GenerationEvent.ts"
import { countAt, isObject, listAt, objectAt, textAt } from "../../../contract/json/json.ts"

/** Cumulative usage: the fields of this frame replace earlier ones. Undefined if nothing was reported yet. */
export const readUsage = (usage: unknown, before: Usage | undefined): Usage | undefined => {
  if (!tellsTokens(usage)) return before
  const base = before ?? unknownUsage
  const creation = objectAt(usage, "cache_creation")
  const forAnHour = countAt(creation, "ephemeral_1h_input_tokens")
  const fiveMinutes = countAt(creation, "ephemeral_5m_input_tokens")
  const isSplit = forAnHour !== undefined || fiveMinutes !== undefined
  const parts = isSplit ? (forAnHour ?? 0) + (fiveMinutes ?? 0) : undefined
  return {
    inputTokens: countAt(usage, "input_tokens") ?? base.inputTokens,
    cacheReadTokens: countAt(usage, "cache_read_input_tokens") ?? base.cacheReadTokens,
    cacheWriteTokens: countAt(usage, "cache_creation_input_tokens") ?? parts ?? base.cacheWriteTokens,
    // An invalid count leaves the other fields valid. The hourly part may arrive before the total.
    ...hourly(forAnHour === undefined ? (base.cacheWriteHourTokens ?? 0) : forAnHour || 0),
    outputTokens: countAt(usage, "output_tokens") ?? base.outputTokens,
    reasoningTokens: countAt(objectAt(usage, "output_tokens_details"), "thinking_tokens") ?? base.reasoningTokens,
    searches: countAt(objectAt(usage, "server_tool_use"), "web_search_requests") ?? base.searches,
    ...callsOf(codeExecutions(usage) ?? base.calls ?? {}),
    ...besides(iterationsIn(usage) ?? base.besides ?? []),
    ...servedOf(usage, base.served)
  }
}

/** How it was served, which a stream tells at its start. The tier `priority` is committed capacity, at no price of its own. */
const servedOf = (usage: unknown, before: Served | undefined): Pick<Usage, "served"> => {
  const committed = textAt(usage, "service_tier") ?? before?.committed
  const [speed, geo] = [textAt(usage, "speed") ?? before?.speed, textAt(usage, "inference_geo") ?? before?.geo]
  if (committed === undefined && isPlain(speed, "standard") && isPlain(geo, "global")) return {}
  return {
    served: {
      ...(committed !== undefined && { committed }),
      ...(speed !== undefined && { speed }),
      ...(geo !== undefined && geo !== "not_available" && { geo })
    }
  }
}

const isPlain = (value: string | undefined, plain: string): boolean =>
  value === undefined || value === plain || value === "not_available"

const codeExecutions = (usage: unknown): CallCounts | undefined => {
  const count = countAt(objectAt(usage, "server_tool_use"), "code_execution_requests")
  return count === undefined ? undefined : { code_execution: count }
}

/**
 * The generations that the totals leave out: compactions, advisors, the model that answered in place of this one. Those
 * of type `message` are what the totals are the sum of. Undefined if this frame tells none.
 */
const iterationsIn = (usage: unknown): ReadonlyArray<Usage> | undefined => {
  if (!isObject(usage) || !Array.isArray(usage["iterations"])) return undefined
  const all = listAt(usage, "iterations")
  if (all.length > mostIterations) return [unknownUsage]
  return all.flatMap((one) => (isObject(one) && one["type"] !== "message" ? iteration(one) : []))
}

/** More are no usage: each is priced by itself. */
const mostIterations = 1_000

/** An advisor, and the model that answered instead, have prices of their own. */
const iteration = (one: JsonObject): ReadonlyArray<Usage> => {
  const usage = readUsage({ ...one, iterations: undefined }, noUsage)
  const model = textAt(one, "model")
  if (usage === undefined) return []
  return [one["type"] === "compaction" || model === undefined ? usage : { ...usage, model }]
}

/** Nothing was reported, which is not zero. */
const unknownUsage: Usage = { ...noUsage, inputTokens: Number.NaN, outputTokens: Number.NaN }

export const tellsTokens = (usage: unknown): boolean =>
  countAt(usage, "input_tokens") !== undefined || countAt(usage, "output_tokens") !== undefined
