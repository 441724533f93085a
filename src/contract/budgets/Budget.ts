import { Schema } from "effect"

/** The largest limit: an integer that a double represents exactly. In dollars, nine million. */
export const mostOfBudget = 9_000_000_000_000_000

/** The most budgets of a key or an account. */
export const mostBudgets = 20

/** A rolling window consists of this many steps; the oldest is counted whole. */
export const stepsOfWindow = 24

const Window = Schema.Union(
  Schema.Struct({
    per: Schema.Literal("day", "week", "month"),
    /** IANA name. Weeks begin on Monday. */
    zone: Schema.String
  }),
  Schema.Struct({ per: Schema.Literal("total") }),
  Schema.Struct({ rollingMs: Schema.Int })
)

/**
 * The most that a key or an account may use in each window, as it is stored. The limit is in nano-dollars, tokens or
 * requests.
 */
export const Budget = Schema.Struct({
  unit: Schema.Literal("usd", "tokens", "requests"),
  limit: Schema.Int,
  window: Window,
  /** Counts requests for these models alone. */
  models: Schema.optional(Schema.Array(Schema.String)),
  /** Counts requests with this tag alone. With `*`, each matching tag has a counter of its own. */
  tag: Schema.optional(Schema.String),
  /** Each end user has a counter of its own. */
  each: Schema.optional(Schema.Literal("end_user"))
})
export type Budget = typeof Budget.Type

export const BudgetsJson = Schema.parseJson(Schema.Array(Budget))

/** The budget of a key as earlier versions knew it: dollars in each UTC day or month. */
export const plainBudget = (nanoUsd: number, per: "day" | "month"): Budget => ({
  unit: "usd",
  limit: nanoUsd,
  window: { per, zone: "UTC" }
})
