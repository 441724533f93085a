/** How often a budget begins again, in the words of Claude Code's headers. */
export const spendingPeriods = { day: "daily", week: "weekly", month: "monthly" } as const

/** A caller's use of a budget in dollars that begins again by itself. */
export interface SpendingCap {
  /** In nano-dollars, as `limit` is. */
  readonly used: number
  readonly limit: number
  readonly period: (typeof spendingPeriods)[keyof typeof spendingPeriods]
  /** Unix ms. */
  readonly resetsAtMs: number
}
