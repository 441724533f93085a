import type { BalanceRecord } from "../../src/account/BalanceRecord.ts"

export type Balance = typeof BalanceRecord.Type

/** Columns of a table by their header. */
export const rows = (out: string): ReadonlyArray<ReadonlyArray<string>> =>
  out
    .trimEnd()
    .split("\n")
    .map((line) => line.split(/ {2,}/))
