import type { Metrics } from "../telemetry/Metrics.ts"
import type { Beyond } from "./beyond.ts"

/**
 * What was left out of a request, counted and as the reply's header names it; undefined where that is nothing.
 *
 * @param byUpstream what its dialect can't say
 */
export const tellAdapted = (
  byUpstream: ReadonlyArray<string>,
  beyond: ReadonlyArray<Beyond>,
  total: Metrics["adapted"]
): string | undefined => {
  if (byUpstream.length === 0 && beyond.length === 0) return undefined
  for (const name of byUpstream) total.of(name).add(1)
  // Callers can make up any number of names.
  for (const { param, unknown } of beyond) total.of(unknown === true ? "other" : param).add(1)
  const names = new Set([...byUpstream, ...beyond.map(({ param }) => param)])
  return [...names].join(", ").replaceAll(/[^\x20-\x7e]/g, "?")
}
