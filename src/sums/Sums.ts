import { Record, Schema, Struct } from "effect"
import { measuresIn, noColumns } from "../contract/records/measures.ts"

const nothing = {
  requests: 0,
  errors: 0,
  refused: 0,
  hang_ups: 0,
  ...noColumns.usage_days,
  cost_nano_usd: 0,
  upstream_cost_nano_usd: 0,
  above_hold_nano_usd: 0,
  attempts: 0,
  failed_attempts: 0,
  hidden_failures: 0,
  outpaced_attempts: 0
}

/** Everything that sums count, by its column. `errors`: all requests that did not finish. Amounts in nano-dollars. */
export type Sums = typeof nothing
export type Measure = keyof Sums

const measures: ReadonlyArray<Measure> = Struct.keys(nothing)

/** Decoders of their columns. Rows of older gateways may be out of range; they are shown all the same. */
export const sumFields: Readonly<Record<Measure, typeof Schema.Number>> = Record.map(nothing, () => Schema.Number)

/** The sums of nothing, to add to. */
export const noSums = (): Sums => ({ ...nothing })

/** Adds what is there of some sums to others, so many times. */
export const addSums = (to: Sums, some: Partial<Readonly<Sums>>, times = 1): Sums => {
  for (const name of measures) to[name] += times * (some[name] ?? 0)
  return to
}

/** The measures of requests by outcome. */
export const outcomeMeasures = ["requests", "errors", "refused", "hang_ups"] as const satisfies ReadonlyArray<Measure>

/** The measures of calls to upstreams. */
export const attemptMeasures = [
  "attempts",
  "failed_attempts",
  "hidden_failures",
  "outpaced_attempts"
] as const satisfies ReadonlyArray<Measure>

/** The settled tokens and amounts that the sums of hours have. */
export const settledMeasures = [
  ...measuresIn("usage_hours"),
  "cost_nano_usd",
  "upstream_cost_nano_usd",
  "above_hold_nano_usd"
] as const satisfies ReadonlyArray<Measure>

/** All that is settled, as the sums of days have it. */
export const usedMeasures = [
  "requests",
  ...measuresIn("usage_days"),
  "cost_nano_usd",
  "upstream_cost_nano_usd",
  "above_hold_nano_usd"
] as const satisfies ReadonlyArray<Measure>

/** The columns of all that is settled. */
export const usedFields = Struct.pick(sumFields, ...usedMeasures)
