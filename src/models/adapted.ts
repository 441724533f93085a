import { Metric, MetricLabel } from "effect"

const adaptedTotal = Metric.counter("gateway_adapted_total", {
  description: "Parameters that callers set and an upstream could not carry.",
  incremental: true
})

/** What was left out of a request, counted and as the reply's header names it. */
export const tellAdapted = (names: ReadonlyArray<string>): string => {
  for (const name of names) adaptedTotal.unsafeUpdate(1, [MetricLabel.make("parameter", name)])
  return names.join(", ").replaceAll(/[^\x20-\x7e]/g, "?")
}
