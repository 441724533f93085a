import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/** The counts of a usage row. */
const counts = [
  "input_tokens",
  "cache_read_tokens",
  "cache_write_tokens",
  "output_tokens",
  "reasoning_tokens",
  "searches",
  "video_frames",
  "cost_nano_usd"
]

/** The largest integer that a double represents exactly, as it does all below. */
const most = Number.MAX_SAFE_INTEGER

const isNoCount = (column: string) => `typeof(${column}) <> 'integer' OR ${column} NOT BETWEEN 0 AND ${most}`
const isNoAmount = (column: string) => `typeof(${column}) <> 'integer' OR ${column} NOT BETWEEN ${-most} AND ${most}`

/**
 * Refuses invalid money: fractions, negative amounts, amounts too large for exact sums, and decreasing sums of usage.
 * Older gateways recorded whatever an upstream reported: such rows stay. Sums that they made inexact are recomputed
 * from the other rows; exact ones stay, right or wrong. Either way, the audit log names the accounts (`ledger.drift`).
 */
export const soundMoney = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const wrong = sql.literal(counts.map(isNoCount).join(" OR "))
  // TOTAL never overflows, and is as exact as a double.
  yield* sql`CREATE TEMP TABLE books AS SELECT id AS account_id, settled_nano_usd AS settled,
    (SELECT CAST(TOTAL(cost_nano_usd) AS INTEGER) FROM usage WHERE account_id = accounts.id AND NOT (${wrong})) AS sound,
    (SELECT COUNT(*) FROM usage WHERE account_id = accounts.id AND (${wrong})) AS wrong_rows,
    (SELECT TOTAL(cost_nano_usd) FROM usage WHERE account_id = accounts.id AND (${wrong})) AS wrong_cost
    FROM accounts`
  yield* sql`UPDATE accounts SET settled_nano_usd = (SELECT sound FROM books WHERE account_id = accounts.id)
    WHERE ${sql.literal(isNoAmount("settled_nano_usd"))}`
  yield* sql`UPDATE key_spending SET nano_usd = (SELECT CAST(TOTAL(cost_nano_usd) AS INTEGER) FROM usage
      WHERE key_id = key_spending.key_id AND strftime('%Y-%m-%d', at / 1000, 'unixepoch') = key_spending.day AND NOT (${wrong}))
    WHERE ${sql.literal(isNoAmount("nano_usd"))}`
  const sums = counts.map((column) => `CAST(TOTAL(${column}) AS INTEGER)`).join(", ")
  yield* sql`UPDATE usage_days SET (${sql.literal(counts.join(", "))}) = (SELECT ${sql.literal(sums)} FROM usage
      WHERE account_id = usage_days.account_id AND key_id = usage_days.key_id AND model = usage_days.model
      AND strftime('%Y-%m-%d', at / 1000, 'unixepoch') = usage_days.day AND NOT (${wrong}))
    WHERE ${sql.literal(counts.map(isNoAmount).join(" OR "))}`
  const drifted = yield* sql<{ id: string }>`INSERT INTO audit (at, actor, action, target, before, after)
    SELECT CAST(strftime('%s', 'now') AS INTEGER) * 1000, 'upgrade', 'ledger.drift', books.account_id,
      json_object('settled_nano_usd', books.settled),
      json_object('settled_nano_usd', accounts.settled_nano_usd, 'rows_that_can_be_money_nano_usd', sound,
        'rows_out_of_range', wrong_rows, 'their_cost_nano_usd', wrong_cost)
    FROM books JOIN accounts ON accounts.id = books.account_id WHERE wrong_rows > 0 OR books.settled <> sound
    RETURNING target AS id`
  yield* sql`DROP TABLE books`
  if (drifted.length > 0) {
    yield* Effect.logWarning(
      "the balances of some accounts are wrong: `gateway audit list --action ledger.drift` shows them"
    ).pipe(Effect.annotateLogs({ event: "ledger.drift", accounts: drifted.length, first: drifted[0]?.id ?? "" }))
  }

  const refusing = (name: string, when: string, table: string, condition: string) =>
    sql`${sql.literal(`CREATE TRIGGER ${name} BEFORE ${when} ON ${table} WHEN ${condition}
      BEGIN SELECT RAISE(ABORT, '${table}: out of range'); END`)}`
  const each = (columns: ReadonlyArray<string>, rule: (column: string) => string) =>
    columns.map((column) => rule(`NEW.${column}`)).join(" OR ")
  const falls = (columns: ReadonlyArray<string>) =>
    columns.map((column) => `NEW.${column} < OLD.${column}`).join(" OR ")
  const isNotWhole = (column: string) => `typeof(${column}) <> 'integer'`

  yield* refusing("usage_is_money", "INSERT", "usage", each(counts, isNoCount))
  yield* refusing("holds_are_money", "INSERT", "holds", each(["nano_usd"], isNoCount))
  yield* refusing("holds_stay_money", "UPDATE OF nano_usd", "holds", each(["nano_usd"], isNoCount))
  yield* refusing("grants_are_money", "INSERT", "grants", each(["nano_usd"], isNoAmount))
  const granted = "NEW.granted_nano_usd IS NOT NULL AND (" + each(["granted_nano_usd"], isNoAmount) + ")"
  yield* refusing("granted_stays_money", "UPDATE OF granted_nano_usd", "accounts", granted)
  const settled = ["settled_nano_usd"]
  yield* refusing(
    "settled_only_rises",
    "UPDATE OF settled_nano_usd",
    "accounts",
    `${each(settled, isNotWhole)} OR ${falls(settled)}`
  )
  for (const [table, columns] of [
    ["key_spending", ["nano_usd"]],
    ["usage_days", counts]
  ] as const) {
    yield* refusing(`${table}_is_money`, "INSERT", table, each(columns, isNoCount))
    yield* refusing(`${table}_only_rises`, "UPDATE", table, `${each(columns, isNotWhole)} OR ${falls(columns)}`)
  }
})
