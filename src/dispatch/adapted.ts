import type { Metrics } from "../telemetry/Metrics.ts"
import type { Unsupported } from "./unsupported.ts"

/**
 * Counts what was left out of a request, and names it in a header of the reply.
 *
 * @param byUpstream what its dialect can't say
 */
export const tellAdapted = (
  replyHeaders: Record<string, string>,
  byUpstream: ReadonlyArray<string>,
  unsupported: ReadonlyArray<Unsupported>,
  total: Metrics["adapted"]
): void => {
  if (byUpstream.length === 0 && unsupported.length === 0) return
  for (const name of byUpstream) total.of(name).add(1)
  // Callers can make up any number of names.
  for (const { param, unknown } of unsupported) total.of(unknown === true ? "other" : param).add(1)
  const names = new Set([...byUpstream, ...unsupported.map(({ param }) => param)])
  replyHeaders["x-gateway-adapted"] = [...names].join(", ").replaceAll(/[^\x20-\x7e]/g, "?")
}
