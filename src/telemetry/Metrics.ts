import { Context } from "effect"
import { Registry } from "./Registry.ts"
import type { Series } from "./Registry.ts"

/**
 * Everything that is counted, in one place. Counting is a plain call, as the hot path can afford it. Labels come from the
 * contract and the configuration, never from a request; what callers can make up is `other`.
 */
export const makeMetrics = () => {
  const registry = new Registry()
  return {
    requests: registry.counter(
      "gateway_requests_total",
      "Requests answered, by route and status; a path that no route has is `other`.",
      "route",
      "status"
    ),
    requestSeconds: registry.histogram(
      "gateway_request_seconds",
      "From the first byte of a request to the first byte of its answer.",
      [0.002, 0.01, 0.05, 0.25, 1, 5, 30, 120],
      "route"
    ),
    streamsOpen: registry.gauge("gateway_streams_open", "Streamed generations under way."),
    generations: registry.counter(
      "gateway_generations_total",
      "Generations by how they ended: finished, failed, hang-up, refused (never begun). Route tried last.",
      "model",
      "upstream",
      "outcome"
    ),
    tokens: registry.counter(
      "gateway_tokens_total",
      "Tokens that were paid for: input, cache_read, cache_write, output (reasoning among them).",
      "model",
      "kind"
    ),
    usageDoubted: registry.counter(
      "gateway_usage_doubted_total",
      "Usage that an upstream told and that could not be, which the gateway counted itself: by what was wrong (number, input, output, searches).",
      "upstream",
      "reason"
    ),
    usageRefused: registry.counter(
      "gateway_usage_refused_total",
      "Usage rows that the database refused for good; each is set aside and logged."
    ),
    requestRowsDropped: registry.counter(
      "gateway_request_rows_dropped_total",
      "Rows of requests that the database did not take in time, and those it refused."
    ),
    chargesCapped: registry.counter(
      "gateway_charges_capped_total",
      "Charges that would have exceeded ten times the most that the request was held to cost.",
      "model"
    ),
    adapted: registry.counter(
      "gateway_adapted_total",
      "Parameters that callers set and an upstream could not carry.",
      "parameter"
    ),
    upstreamErrors: registry.counter(
      "gateway_upstream_errors_total",
      "Calls that an upstream, or the way to it, refused: by HTTP status, `none` where no answer came.",
      "upstream",
      "status"
    ),
    upstreamRetries: registry.counter(
      "gateway_upstream_retries_total",
      "Calls made once more after an error: at the same upstream (again) or by the next route (elsewhere).",
      "upstream",
      "how"
    ),
    tasks: registry.counter(
      "gateway_tasks_total",
      "Tasks that came into a state; without a kind, `unreadable`: set aside since its row can't be read.",
      "kind",
      "state"
    ),
    copies: registry.counter(
      "gateway_copies_total",
      "Tries to copy a finished video or its last frame (custody), by what became of it: copied, failed (again later), given_up.",
      "outcome"
    ),
    deliveries: registry.counter(
      "gateway_deliveries_total",
      "Attempts to deliver a callback, by what became of it: delivered, failed (for good), superseded, pending (again), unreadable (its row).",
      "state"
    ),
    commits: registry.counter("gateway_commits_total", "Transactions of the group commit.", "outcome"),
    commitWrites: registry.histogram(
      "gateway_commit_writes",
      "Writes that shared one transaction.",
      [1, 2, 4, 8, 16, 32, 64, 128, 256]
    ),
    commitSeconds: registry.histogram(
      "gateway_commit_seconds",
      "How long a transaction took, its fsync included.",
      [0.0005, 0.002, 0.01, 0.05, 0.25, 1, 5]
    ),
    eventLoopLag: registry.histogram(
      "gateway_event_loop_lag_seconds",
      "How late a timer came, looked at four times a second.",
      [0.001, 0.005, 0.02, 0.1, 0.5, 2]
    ),
    registry
  } as const
}

export interface Metrics extends ReturnType<typeof makeMetrics> {}

/** A gateway's own, which it begins with; shared by the whole process where nobody gives any. */
export const Metrics = Context.Reference<Metrics>()("gateway/telemetry/Metrics", { defaultValue: makeMetrics })

/** Counts one route's answers; what can be looked up beforehand is. */
export const requestCounter = (metrics: Metrics, route: string) => {
  const seconds = metrics.requestSeconds.of(route)
  const byStatus = new Map<number, Series>()
  return (status: number, millis: number): void => {
    let count = byStatus.get(status)
    if (count === undefined) byStatus.set(status, (count = metrics.requests.of(route, String(status))))
    count.add(1)
    seconds.observe(millis / 1_000)
  }
}
export type RequestCounter = ReturnType<typeof requestCounter>
