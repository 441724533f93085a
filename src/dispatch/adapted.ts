import type { Metrics } from "../telemetry/Metrics.ts"
import type { Unsupported } from "./unsupported.ts"

/**
 * Counts the dropped parts of a request and names them in a response header.
 *
 * @param byUpstream parts that the upstream's dialect cannot express
 */
export const tellAdapted = (
  replyHeaders: Record<string, string>,
  byUpstream: ReadonlyArray<string>,
  unsupported: ReadonlyArray<Unsupported>,
  total: Metrics["adapted"]
): void => {
  if (byUpstream.length === 0 && unsupported.length === 0) return
  // Callers can invent any number of names, which must not become labels.
  for (const name of byUpstream) total.of(name.replace(ofCallers, "$1$2")).add(1)
  for (const { param, unknown } of unsupported) total.of(unknown === true ? "other" : param).add(1)
  const names = new Set([...byUpstream, ...unsupported.map(({ param }) => param)])
  replyHeaders["x-gateway-adapted"] = [...names].join(", ").replaceAll(/[^\x20-\x7e]/g, "?")
}

/** A beta, or the date of a tool. */
const ofCallers = /^(anthropic-beta)\..*$|^(tools\.[a-z_]{1,40})_\d+$/s
