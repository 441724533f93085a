import type { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect, Schema } from "effect"
import { inputOf } from "../../contract/records/measures.ts"
import { matches } from "../../contract/text/matches.ts"
import { rows } from "../../sql/decode.ts"
import { prepare } from "../../sql/prepare.ts"
import type { Prepared } from "../../sql/prepare.ts"
import { spentIn } from "../budgets/claims.ts"
import type { HeldBudget, Spent } from "../budgets/claims.ts"
import type { Meter } from "../budgets/meters.ts"
import { slices } from "../../sql/slices.ts"
import { sumsOf } from "../../sums/sumsOf.ts"
import { usageBooks } from "./usageBooks.ts"
import { dayOf } from "./usageRows.ts"
import type { UsageRow } from "./usageRows.ts"

/** A change of a budget's counter. */
export interface CounterChange {
  readonly budget: string
  readonly subject: string
  readonly step: number
  readonly account_id: string
  readonly ends_at: number
  readonly used: number
  readonly held: number
}

/** The change when a held amount ends. */
export const changeOf = (held: HeldBudget, spent: Spent): CounterChange => ({
  budget: held.budget,
  subject: held.subject,
  step: held.step,
  account_id: held.account,
  ends_at: held.endsAt,
  used: spentIn(held, spent),
  held: -held.amount
})

/** A settled request's use. */
export const spentOf = ({ costNanoUsd, used }: Pick<UsageRow, "costNanoUsd" | "used">): Spent => ({
  nanoUsd: costNanoUsd,
  tokens: inputOf(used) + used.outputTokens,
  requests: 1
})

/** The changes of budgets when these requests are settled. */
export const changesOf = (settled: ReadonlyArray<UsageRow>): ReadonlyArray<CounterChange> =>
  settled.flatMap(
    (row): ReadonlyArray<CounterChange> => row.held?.budgets?.map((held) => changeOf(held, spentOf(row))) ?? none
  )

const none: ReadonlyArray<never> = []

/** The changes' sums by counter. */
export const summedChanges = (changes: ReadonlyArray<CounterChange>): ReadonlyArray<CounterChange> => {
  const sums = new Map<string, CounterChange>()
  for (const change of changes) {
    const counter = `${change.budget} ${change.subject} ${change.step}`
    const sum = sums.get(counter)
    sums.set(
      counter,
      sum === undefined ? change : { ...change, used: sum.used + change.used, held: sum.held + change.held }
    )
  }
  return [...sums.values()]
}

/** The most rows of a statement: a statement of Postgres has 65,535 values at most. */
const mostRows = 5_000

const chunked = <A>(some: ReadonlyArray<A>): ReadonlyArray<ReadonlyArray<A>> =>
  Array.from({ length: Math.ceil(some.length / mostRows) }, (_, n) => some.slice(n * mostRows, (n + 1) * mostRows))

const dayMs = 86_400_000
/** `retention.usage_days` is at least this long. */
const leastKeptMs = 32 * dayMs

/** Of so many accounts, each is looked up. */
const fewAccounts = 20

/** How long a counter is kept after its window, in ms. */
const keptMs = dayMs

/** The counters of budgets. */
export const budgetCounters = (sql: SqlClient.SqlClient) => {
  const upsert = prepare(
    sql,
    sql`INSERT INTO budget_counters ${sql.insert({ budget: "", subject: "", step: 0, account_id: "", ends_at: 0, used: 0 })}
      ON CONFLICT (budget, subject, step) DO UPDATE SET used = budget_counters.used + excluded.used`
  )

  const { days } = usageBooks(sql, Effect.void)

  /** Those of some budgets that still count. */
  const find = (ids: ReadonlyArray<string>, nowMs: number): Effect.Effect<ReadonlyArray<CounterRow>, SqlError> =>
    ids.length === 0
      ? Effect.succeed([])
      : Effect.map(
          sql`SELECT * FROM budget_counters WHERE ${sql.in("budget", ids)} AND ends_at > ${nowMs}`,
          counters.all
        )

  const isThere = (id: string): Effect.Effect<boolean, SqlError> =>
    Effect.map(sql`SELECT 1 FROM budget_counters WHERE budget = ${id} LIMIT 1`, (found) => found.length > 0)

  /** Dollars that the budget's owner spent since a time, on models that it is for. */
  const spentSince = ({ account, budget: { models }, key }: Meter, fromMs: number): Effect.Effect<number, SqlError> =>
    Effect.map(
      sumsOf(sql, days, {
        span: { fromMs, toMs: Infinity },
        scope: { owner: account, key },
        by: ["model"],
        measures: ["cost_nano_usd"]
      }),
      (found) => found.reduce((sum, { cost_nano_usd, name }) => (isFor(models, name) ? sum + cost_nano_usd : sum), 0)
    )

  /**
   * The use of a budget that has no counter yet: dollars that were spent earlier in its window. Tokens, requests, tags and
   * end users are counted from the budget's first request on, as is a total.
   */
  const usedBefore = Effect.fnUntraced(function* (meter: Meter, nowMs: number): Effect.fn.Return<number, SqlError> {
    if (!countsBefore(meter) || (yield* isThere(meter.id))) return 0
    const { since } = meter.placeOf(nowMs)
    // Rows of that long ago may be gone, but not the sums of days.
    return yield* spentSince(meter, since < nowMs - leastKeptMs ? since - (since % dayMs) : since)
  })

  /**
   * Of budgets without a counter, those that may have been used before: their owners spent something in the window. Few,
   * where thousands of keys are idle.
   */
  const withSpending = Effect.fnUntraced(function* (
    meters: ReadonlyArray<Meter>,
    nowMs: number
  ): Effect.fn.Return<ReadonlySet<Meter>, SqlError> {
    const some = meters.filter(countsBefore).map((meter) => ({ meter, day: dayOf(meter.placeOf(nowMs).since) }))
    const from = some.reduce((earliest, { day }) => (day < earliest ? day : earliest), dayOf(nowMs))
    const accounts = new Set<string>(some.map(({ meter }) => meter.account))
    const spent = new Map<string, Array<Spender>>()
    // Of a few accounts by their index, otherwise of all.
    for (const account of accounts.size <= fewAccounts ? accounts : [undefined]) {
      const last = new Map<string, Spender>()
      const whose = account === undefined ? undefined : sql`account_id = ${account}`
      const key = { day: Schema.String, ...(whose === undefined ? { account_id: Schema.String } : {}), ...keyAndModel }
      yield* slices(sql)({ table: "usage_days", whose, key, begins: sql`day >= ${from}` }, (within) =>
        Effect.map(
          sql`SELECT account_id, key_id, model, MAX(day) AS day FROM usage_days
            WHERE ${within} AND cost_nano_usd > 0 GROUP BY account_id, key_id, model`,
          (found) => {
            for (const row of spenders.all(found)) {
              // Slices are in the order of days.
              if (accounts.has(row.account_id)) last.set(JSON.stringify([row.account_id, row.key_id, row.model]), row)
            }
          }
        )
      )
      for (const row of last.values()) {
        for (const owner of [`${row.account_id} `, `${row.account_id} ${row.key_id}`]) {
          const known = spent.get(owner)
          if (known === undefined) spent.set(owner, [row])
          else known.push(row)
        }
      }
    }
    const hasSpent = ({ day, meter: { account, budget, key } }: (typeof some)[number]) =>
      spent.get(`${account} ${key ?? ""}`)?.some((row) => row.day >= day && isFor(budget.models, row.model)) === true
    return new Set(some.filter(hasSpent).map(({ meter }) => meter))
  })

  /** Begins to count for a budget. */
  const begin = Effect.fnUntraced(function* (meter: Meter, nowMs: number): Effect.fn.Return<void, SqlError> {
    const { endsAt, step } = meter.placeOf(nowMs)
    const used = yield* usedBefore(meter, nowMs)
    if (used > 0) yield* insert([{ ...place(meter, "", step, endsAt), used }])
  })

  /** Creates counters that are not there. */
  const insert = (some: ReadonlyArray<Omit<CounterChange, "held">>): Effect.Effect<unknown, SqlError> =>
    Effect.forEach(
      chunked(some.toSorted((one, two) => order(one).localeCompare(order(two)))),
      (part) => sql`INSERT INTO budget_counters ${sql.insert(part)} ON CONFLICT (budget, subject, step) DO NOTHING`,
      { discard: true }
    )

  /** Of these counters, those that exist. */
  const existing = (
    some: ReadonlyArray<{ readonly budget: string; readonly subject: string }>,
    nowMs: number
  ): Effect.Effect<ReadonlyArray<{ readonly budget: string; readonly subject: string }>, SqlError> =>
    Effect.map(
      Effect.forEach(chunked(some), (part) =>
        Effect.map(
          sql`SELECT DISTINCT budget, subject FROM budget_counters
            WHERE ${sql.in("budget", [...new Set(part.map(({ budget }) => budget))])}
              AND ${sql.in(
                "subject",
                part.map(({ subject }) => subject)
              )} AND ends_at > ${nowMs}`,
          ids.all
        )
      ),
      (found) => found.flat()
    )

  /** The live counters of an account's tags and end users. */
  const ownOf = (account: string, nowMs: number): Effect.Effect<number, SqlError> =>
    Effect.map(
      sql`SELECT COUNT(*) AS n FROM (SELECT DISTINCT budget, subject FROM budget_counters
        WHERE account_id = ${account} AND ends_at > ${nowMs} AND subject <> '' AND subject <> '*') AS own`,
      (found) => counts.first(found)?.n ?? 0
    )

  /** Resets that this process may not know: what was used before them. */
  const forgiven = (nowMs: number): Effect.Effect<ReadonlyArray<CounterRow>, SqlError> =>
    Effect.map(sql`SELECT * FROM budget_counters WHERE forgiven > 0 AND ends_at > ${nowMs}`, counters.all)

  /** Removes the counters of windows that ended a day ago. */
  const clean = (nowMs: number): Effect.Effect<unknown, SqlError> =>
    sql.onDialectOrElse({
      pg: () =>
        Effect.zipRight(
          sql`DELETE FROM node_budgets WHERE ctid = ANY (ARRAY(
            SELECT ctid FROM node_budgets WHERE held = 0 LIMIT 10000 FOR UPDATE SKIP LOCKED))`,
          sql`DELETE FROM budget_counters WHERE ctid = ANY (ARRAY(
            SELECT ctid FROM budget_counters WHERE ends_at < ${nowMs - keptMs} LIMIT 10000 FOR UPDATE SKIP LOCKED))`
        ),
      orElse: () =>
        sql`DELETE FROM budget_counters WHERE rowid IN (
          SELECT rowid FROM budget_counters WHERE ends_at < ${nowMs - keptMs} LIMIT 10000)`
    })

  return {
    /** Adds use, with SQLite. */
    add: ({ account_id, budget, ends_at, step, subject, used }: CounterChange): Prepared =>
      upsert([budget, subject, step, account_id, ends_at, used]),
    find,
    usedBefore,
    withSpending,
    begin,
    insert,
    existing,
    ownOf,
    forgiven,
    clean
  } as const
}

/** True if a budget counts what was spent before its first counter. */
const countsBefore = ({ budget: { each, tag, unit, window } }: Meter): boolean =>
  unit === "usd" && tag === undefined && each === undefined && !("per" in window && window.per === "total")

const isFor = (models: ReadonlyArray<string> | undefined, model: string): boolean =>
  models === undefined || models.some((pattern) => matches(pattern, model))

const order = ({ budget, step, subject }: Pick<CounterChange, "budget" | "subject" | "step">) =>
  `${budget} ${subject} ${step}`

/** A counter's row without amounts. */
export const place = (meter: Meter, subject: string, step: number, endsAt: number) => ({
  budget: meter.id,
  subject,
  step,
  account_id: meter.account,
  ends_at: endsAt,
  used: 0
})

const counters = rows("budget_counters", {
  budget: Schema.String,
  subject: Schema.String,
  step: Schema.Int,
  account_id: Schema.String,
  ends_at: Schema.Int,
  used: Schema.Int,
  forgiven: Schema.Int,
  held: Schema.Int
})
export type CounterRow = ReturnType<typeof counters.one>
const ids = rows("budget_counters", { budget: Schema.String, subject: Schema.String })
const counts = rows("budget_counters", { n: Schema.Int })
const keyAndModel = { key_id: Schema.String, model: Schema.String }
const spenders = rows("usage_days", {
  account_id: Schema.String,
  ...keyAndModel,
  day: Schema.String
})
type Spender = ReturnType<typeof spenders.one>
