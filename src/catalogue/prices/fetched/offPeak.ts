import { Option, Schema } from "effect"
import { weekdays } from "../../../config/sections/weekdays.ts"
import type { PriceInUsd } from "../../../ledger/videoPrice.ts"
import { Rate } from "./litellmRates.ts"
import type { FieldRates } from "./litellmRates.ts"

const Span = Schema.String.pipe(Schema.pattern(/^(?:[01]\d|2[0-3]):[0-5]\d-(?:[01]\d|2[0-3]):[0-5]\d$/))
const mostSpans = 16

const OffPeak = Schema.Struct({
  input_cost_per_token: Rate,
  cache_read_input_token_cost: Schema.optional(Rate),
  output_cost_per_token: Schema.optional(Rate),
  windows: Schema.NonEmptyArray(
    Schema.Struct({
      hours_utc: Schema.Union(Span, Schema.NonEmptyArray(Span).pipe(Schema.maxItems(mostSpans))),
      // Monday is 1, Sunday 7.
      weekdays: Schema.optional(Schema.Array(Schema.Int.pipe(Schema.between(1, 7))).pipe(Schema.maxItems(7)))
    })
  ).pipe(Schema.maxItems(mostSpans)),
  // Days that begin at another hour than hours do can't be written.
  weekday_timezone: Schema.optional(Schema.Literal("UTC"))
})
const decode = Schema.decodeUnknownOption(OffPeak)

/**
 * The hours in which a row's model costs less. Prices have one factor for all rates: the largest of them, which never
 * charges less than the provider does.
 */
export const offPeakHours = (written: unknown, standard: FieldRates): PriceInUsd["hours"] => {
  const offPeak = Option.getOrUndefined(decode(written))
  if (offPeak === undefined) return undefined
  const shares = (["input_cost_per_token", "cache_read_input_token_cost", "output_cost_per_token"] as const).flatMap(
    (field) => {
      const [rate, plain] = [offPeak[field], standard[field]]
      return rate === undefined || plain === undefined || plain === 0 ? [] : [rate / plain]
    }
  )
  const factor = Number(Math.max(0, ...shares).toPrecision(12))
  if (factor === 0 || factor >= 1) return undefined
  return offPeak.windows.map(({ hours_utc: hours, weekdays: days }) => {
    const spans = typeof hours === "string" ? [hours] : hours
    return {
      factor,
      ...(!spans.includes("00:00-00:00") && { utc: spans }),
      ...(days !== undefined && { days: days.flatMap((day) => weekdays[day % 7] ?? []) })
    }
  })
}
