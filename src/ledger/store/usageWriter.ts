import type { SqlClient } from "@effect/sql"
import type { Prepared } from "../../sql/prepare.ts"
import { prepare } from "../../sql/prepare.ts"
import { settledMeasures, usedMeasures } from "../../sums/Sums.ts"
import { anyRow, byDay, byHour, columns } from "./usageRows.ts"
import type { DayRow, HourRow, UsageRow } from "./usageRows.ts"

/**
 * The number of rows of the next statement. Every request writes a row, so statements are prepared in few sizes: a
 * thousand rows are fifteen statements of 64 and two for the rest. Up to 16, each number has its own text, because that
 * many share a commit on a busy gateway and a statement costs as much as two rows.
 */
const sizeWithin = (left: number): number => (left >= 64 ? 64 : left >= 32 ? 32 : Math.min(left, 16))

/**
 * Writes usage rows with their consequences: the accounts' settled sums, the keys' spending and the sums of the hour
 * and the day. Any number of rows in a few statements; must run in one transaction. On Postgres, `usageStatements` does
 * it.
 */
export type WriteUsage = (rows: ReadonlyArray<UsageRow>) => ReadonlyArray<Prepared>

export const usageWriter = (sql: SqlClient.SqlClient): WriteUsage => {
  const inserts: Array<((values: Array<string | number | null>) => Prepared) | undefined> = []
  /** Prepared at first use. */
  const insert = (size: number) =>
    (inserts[size] ??= prepare(
      sql,
      sql`INSERT INTO usage ${sql.insert(Array.from({ length: size }, () => columns(anyRow)))}`
    ))
  const settled = prepare(sql, sql`UPDATE accounts SET settled_nano_usd = settled_nano_usd + ${0} WHERE id = ${""}`)
  const spent = prepare(
    sql,
    sql`INSERT INTO key_spending ${sql.insert({ key_id: "", day: "", nano_usd: 0 })}
      ON CONFLICT (key_id, day) DO UPDATE SET nano_usd = key_spending.nano_usd + excluded.nano_usd`
  )
  const used = prepare(sql, adding(sql, "usage_days", dayNames, "account_id, day, key_id, model", usedMeasures))
  const usedInHour = prepare(
    sql,
    adding(sql, "usage_hours", hourNames, "hour, account_id, key_id, model, upstream", settledMeasures)
  )
  return (rows) => {
    const statements: Array<Prepared> = []
    for (let at = 0; at < rows.length;) {
      const size = sizeWithin(rows.length - at)
      const values: Array<string | number | null> = []
      for (let n = at; n < at + size; n++) {
        const row = rows[n]
        if (row !== undefined) values.push(...Object.values(columns(row)))
      }
      statements.push(insert(size)(values))
      at += size
    }
    const hours = byHour(rows)
    const days = byDay(hours)
    for (const [account, nanoUsd] of sums(days, (day) => day.account_id)) statements.push(settled([nanoUsd, account]))
    for (const [dayAndKey, nanoUsd] of sums(days, ({ day, key_id }) => `${day} ${key_id}`)) {
      statements.push(spent([dayAndKey.slice(11), dayAndKey.slice(0, 10), nanoUsd]))
    }
    for (const day of days) statements.push(used(dayNames.map((name) => day[name])))
    for (const hour of hours) statements.push(usedInHour(hourNames.map((name) => hour[name])))
    return statements
  }
}

const dayNames = ["account_id", "day", "key_id", "model", ...usedMeasures] as const satisfies ReadonlyArray<
  keyof DayRow
>
const hourNames = [
  "hour",
  "account_id",
  "key_id",
  "model",
  "upstream",
  ...settledMeasures
] as const satisfies ReadonlyArray<keyof HourRow>

/** Adds one row's sums to existing ones. */
const adding = (
  sql: SqlClient.SqlClient,
  table: string,
  names: ReadonlyArray<string>,
  key: string,
  sums: ReadonlyArray<string>
) =>
  sql`INSERT INTO ${sql(table)} ${sql.insert(Object.fromEntries(names.map((name) => [name, 0])))}
    ON CONFLICT (${sql.literal(key)}) DO UPDATE SET
      ${sql.literal(sums.map((name) => `${name} = ${table}.${name} + excluded.${name}`).join(", "))}`

/** Costs by group; groups that cost nothing are left out. */
const sums = (days: ReadonlyArray<DayRow>, group: (day: DayRow) => string): Map<string, number> => {
  const all = new Map<string, number>()
  for (const day of days) {
    const cost = day.cost_nano_usd
    if (cost !== 0) all.set(group(day), (all.get(group(day)) ?? 0) + cost)
  }
  return all
}
