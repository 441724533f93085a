import { callsOf } from "../../../generation/addUsage.ts"
import type { CallCounts } from "../../../contract/records/HostedCall.ts"
import type { Usage } from "../../../generation/GenerationEvent.ts"
import type { JsonObject } from "../../../contract/fields.ts"
import { countAt, objectAt } from "../../../contract/json/json.ts"
import { inputParts, modalIn, outputParts, some } from "../tokenParts.ts"

/** Undefined if the upstream reports none, which is not zero. Cached tokens are part of the input's. */
export const readUsage = (usage: unknown, searches: number, calls: CallCounts = {}): Usage | undefined => {
  const input = countAt(usage, "input_tokens")
  const output = countAt(usage, "output_tokens")
  if (input === undefined && output === undefined) return undefined
  const whole = input ?? Number.NaN
  const details = objectAt(usage, "input_tokens_details")
  const cached = Math.min(whole, countAt(details, "cached_tokens") ?? 0)
  const written = Math.min(whole - cached, countAt(details, "cache_write_tokens") ?? 0)
  return {
    inputTokens: whole - cached - written,
    cacheReadTokens: cached,
    cacheWriteTokens: written,
    outputTokens: output ?? Number.NaN,
    reasoningTokens: countAt(objectAt(usage, "output_tokens_details"), "reasoning_tokens") ?? 0,
    searches,
    ...halfDay(written, objectAt(details, "cache_write_tokens_details")),
    ...inputParts(whole, cached, modalIn(details)),
    ...outputParts(modalIn(objectAt(usage, "output_tokens_details"))),
    ...callsOf(calls)
  }
}

const halfDay = (written: number, details: JsonObject | undefined) =>
  details === undefined
    ? {}
    : some("cacheWriteHalfDayTokens", Math.min(written, countAt(details, "ttl_12h_tokens") ?? 0))
