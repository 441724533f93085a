import { Metric, MetricLabel } from "effect"
import type { Beyond } from "./beyond.ts"

const adaptedTotal = Metric.counter("gateway_adapted_total", {
  description: "Parameters that callers set and an upstream could not carry.",
  incremental: true
})

/**
 * What was left out of a request, counted and as the reply's header names it; undefined where that is nothing.
 *
 * @param byUpstream what its dialect can't say
 */
export const tellAdapted = (byUpstream: ReadonlyArray<string>, beyond: ReadonlyArray<Beyond>): string | undefined => {
  if (byUpstream.length === 0 && beyond.length === 0) return undefined
  for (const name of byUpstream) count(name)
  // Callers can make up any number of names.
  for (const { param, unknown } of beyond) count(unknown === true ? "unknown" : param)
  const names = new Set([...byUpstream, ...beyond.map(({ param }) => param)])
  return [...names].join(", ").replaceAll(/[^\x20-\x7e]/g, "?")
}

const count = (name: string) => adaptedTotal.unsafeUpdate(1, [MetricLabel.make("parameter", name)])
