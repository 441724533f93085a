import { DateTime } from "effect"
import { listAt, textAt } from "../../contract/json/json.ts"
import type { Rest } from "../../generation/Rest.ts"

/** The part that rests by the violations in Google's `QuotaFailure`; undefined if the error has none. */
export const quotaRest = (error: unknown, nowMs = Date.now()): Rest | undefined => {
  const failure = listAt(error, "details").find((detail) =>
    textAt(detail, "@type")?.endsWith("google.rpc.QuotaFailure")
  )
  const quotas = listAt(failure, "violations").map(
    (violation) => `${textAt(violation, "quotaId") ?? ""} ${textAt(violation, "quotaMetric") ?? ""}`
  )
  if (quotas.length === 0) return undefined
  const part = quotas.every((quota) => ofSearch.test(quota)) ? "search" : "tier"
  return {
    part,
    // A quota of tokens may have room for a smaller request.
    ...(quotas.some((quota) => ofRequests.test(quota)) && { isOfAll: true }),
    // `RetryInfo` names seconds beside a quota that is used up for the day.
    ...(quotas.some((quota) => ofDay.test(quota)) && { forMs: untilMidnight(pacific, nowMs) })
  }
}

const ofSearch = /grounding|search/i
const ofRequests = /requestsper|_requests\b/i
const ofDay = /perday/i

/** Google's quotas of a day end at midnight there. */
const pacific = "America/Los_Angeles"

/** The time until the next midnight of a zone, in ms. */
export const untilMidnight = (zone: "America/Los_Angeles" | "UTC", nowMs: number): number => {
  const tomorrow = DateTime.unsafeMakeZoned(nowMs, { timeZone: zone }).pipe(
    DateTime.startOf("day"),
    DateTime.add({ days: 1 })
  )
  return DateTime.toEpochMillis(tomorrow) - nowMs
}
