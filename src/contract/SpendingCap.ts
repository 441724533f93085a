/** A caller's use of a budget in dollars that begins again by itself. */
export interface SpendingCap {
  /** In nano-dollars, as `limit` is. */
  readonly used: number
  readonly limit: number
  readonly period: "daily" | "weekly" | "monthly"
  /** Unix ms. */
  readonly resetsAtMs: number
  /** True if it is the account's, which its keys share. */
  readonly isShared: boolean
}
