import { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Clock, Effect, Record, Schema, Struct } from "effect"
import type { AccountId } from "../../contract/callers/Caller.ts"
import { noColumns, rowMeasures } from "../../contract/records/measures.ts"
import { rows } from "../../sql/decode.ts"
import { InvalidRequest } from "../../contract/failures/Failure.ts"
import { sortInTurns } from "../../flow/inTurns.ts"
import { firstRows } from "../../sql/slices.ts"
import type { Sliced } from "../../sql/slices.ts"
import type { Group } from "../../sums/Book.ts"
import { addSums, noSums, usedFields, usedMeasures } from "../../sums/Sums.ts"
import { mapSums, sumsOf } from "../../sums/sumsOf.ts"
import type { Dimension } from "../usageBy.ts"
import { keyNames } from "./keyNames.ts"
import { serviceNames } from "../../contract/records/Service.ts"
import { serviceRow } from "./serviceRow.ts"
import { usageBooks, usageRowsIn, usedSql } from "./usageBooks.ts"
import { allSummed } from "./usageStatements.ts"
import type { Grouping, UsageGroup, UsagePage, UsageQuery, UsageSums } from "./usageGroup.ts"
import { ofKeys } from "../../sql/ofKeys.ts"

const entryRows = rows("usage", {
  id: Schema.Int,
  atMs: Schema.Int,
  requestId: Schema.String,
  account: Schema.String,
  key: Schema.String,
  person: Schema.NullOr(Schema.String),
  model: Schema.String,
  upstream: Schema.String,
  outcome: Schema.String,
  estimated: Schema.Boolean,
  ...usedFields,
  ...Record.map(Struct.pick(noColumns.usage, ...rowMeasures), () => Schema.Number),
  price: Schema.String,
  ...serviceRow
})

/** One settled request, as charged, at the price in `Price.text`. */
export type UsageEntry = ReturnType<typeof entryRows.one>

const columns = {
  account: "account_id",
  key: "key_id",
  model: "model",
  upstream: "upstream",
  service_tier: "service_tier"
} as const
const dayMs = 86_400_000
/** More groups would take too much memory. */
const most = 200_000

/** Reads usage. Groups count whole UTC days, including those in which the time span begins and ends. */
export class UsageReport extends Effect.Service<UsageReport>()("gateway/ledger/store/UsageReport", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { days } = usageBooks(sql, allSummed(sql))
    const namesOf = keyNames(sql)
    const { idsWithin } = usageRowsIn(sql)

    const daysOf = ({ account, key, keys, model, sinceMs, untilMs }: UsageQuery) => ({
      span: { fromMs: Math.floor(sinceMs / dayMs) * dayMs, toMs: (Math.floor(untilMs / dayMs) + 1) * dayMs },
      scope: {
        owner: account,
        key,
        where: [...ofKeys(sql, keys), ...(model === undefined ? [] : [sql`model = ${model}`])]
      },
      measures: usedMeasures
    })

    const totals = (query: UsageQuery): Effect.Effect<UsageSums> =>
      Effect.map(Effect.orDie(sumsOf(sql, days, daysOf(query))), ([all]) => all ?? noSums())

    /**
     * The groups of a page, and the sums of all: days newest first, others by cost, highest first. One more than the
     * limit indicates a next page.
     */
    const groups = Effect.fnUntraced(
      function* (
        query: UsageQuery,
        { first, second }: Grouping,
        { limit, offset }: UsagePage
      ): Effect.fn.Return<
        { readonly groups: ReadonlyArray<UsageGroup>; readonly totals: UsageSums },
        InvalidRequest | SqlError
      > {
        const [one, other] = [first, second].filter((name) => name !== "day" && name !== undefined)
        const valueOf = ({ atMs, name, second }: Group, dimension: Dimension): string =>
          dimension === "day" ? new Date(atMs).toISOString().slice(0, 10) : dimension === one ? name : second
        const by = one && ([columns[one], other && columns[other]] as const)
        const stepMs = first === "day" || second === "day" ? dayMs : undefined
        const all = noSums()
        const found = yield* mapSums(sql, days, { ...daysOf(query), by, stepMs, most }, (group): UsageGroup => {
          addSums(all, group)
          const { atMs: _atMs, ...sums } = group
          return { ...sums, group: valueOf(group, first), second: second ? valueOf(group, second) : null, name: null }
        })
        if (found.length > most) return yield* tooMany
        const page = (yield* Effect.promise(() => sortInTurns(found, inOrder(first)))).slice(offset, offset + limit)
        const keyOf = (row: UsageGroup) => (first === "key" ? row.group : second === "key" ? row.second : null)
        const known = yield* namesOf([...new Set(page.flatMap((row) => keyOf(row) ?? []))])
        return {
          groups: page.map((row) => ({ ...row, name: known.get(keyOf(row) ?? "") ?? null })),
          // The days' sums count what was settled before there were rows of it.
          totals: [first, second].some((name) => name === "upstream" || name === "service_tier")
            ? yield* totals(query)
            : all
        }
      },
      Effect.catchTag("SqlError", Effect.die)
    )

    /** Settled requests of the exact time span, newest first; `after` is the last entry of the page before. */
    const entries = (
      query: UsageQuery,
      { after, limit }: { readonly after: Pick<UsageEntry, "atMs" | "id"> | undefined; readonly limit: number }
    ): Effect.Effect<ReadonlyArray<UsageEntry>> =>
      Effect.gen(function* () {
        const conditions = [
          sql`at >= ${query.sinceMs}`,
          sql`at <= ${query.untilMs}`,
          ...ofKeys(sql, query.keys),
          ...(query.key === undefined ? [] : [sql`key_id = ${query.key}`]),
          ...(query.model === undefined ? [] : [sql`model = ${query.model}`])
        ]
        const place = yield* placeOf(query, after)
        return yield* firstRows(sql)({ table: "usage", isDescending: true, ...place }, limit, (within, left) =>
          Effect.map(
            sql`SELECT id, at AS "atMs", request_id AS "requestId", account_id AS account, key_id AS key,
                (SELECT person_id FROM keys WHERE keys.id = usage.key_id) AS person, model, upstream, outcome,
                estimated, ${sql.literal(usedSql)}, price, ${sql.literal([...rowMeasures, ...serviceNames].join(", "))} FROM usage WHERE ${sql.and([within, ...conditions])}
              ORDER BY ${query.account === undefined ? sql`id DESC` : sql`at DESC, id DESC`} LIMIT ${left}`,
            entryRows.all
          )
        )
      }).pipe(Effect.orDie)

    /** An account's rows are indexed by time; across all accounts they are read in the order they were written. */
    const placeOf = Effect.fnUntraced(function* (
      { account, sinceMs, untilMs }: UsageQuery,
      after: Pick<UsageEntry, "atMs" | "id"> | undefined
    ): Effect.fn.Return<Omit<Sliced, "table">, SqlError> {
      if (account !== undefined) {
        return {
          whose: sql`account_id = ${account}`,
          key: { at: Schema.Int, id: Schema.Int },
          begins: after === undefined ? sql`at <= ${untilMs}` : sql`(at, id) < (${after.atMs}, ${after.id})`,
          ends: sql`at >= ${sinceMs}`
        }
      }
      const ids = yield* idsWithin({ fromMs: sinceMs, toMs: untilMs + 1 })
      return {
        key: { id: Schema.Int },
        begins: sql`id < ${Math.min(ids?.until ?? 0, after?.id ?? Infinity)}`,
        ends: sql`id >= ${ids?.first ?? 0}`
      }
    })

    /** The average usage of the account's requests to a model in the last week; undefined if there were none. */
    const usual = (account: AccountId, model: string) =>
      Effect.flatMap(Clock.currentTimeMillis, (nowMs) =>
        totals({ account, model, sinceMs: nowMs - 7 * 86_400_000, untilMs: nowMs })
      ).pipe(
        Effect.map(({ output_tokens, requests, searches }) =>
          requests === 0 ? undefined : { outputTokens: output_tokens / requests, searches: searches / requests }
        )
      )

    /** The time before which rows were removed. Undefined if all are there. */
    const rowsSince: Effect.Effect<number | undefined> = Effect.map(
      Effect.orDie(sql`SELECT value FROM upkeep WHERE name = 'usage_before'`),
      (found) => times.first(found)?.value
    )

    return { totals, groups, entries, usual, rowsSince } as const
  })
}) {}

const times = rows("upkeep", { value: Schema.Int })

const tooMany = new InvalidRequest({
  param: "by",
  message: `by: more than ${most} groups; ask for a shorter span, or for fewer dimensions`
})

/** Days newest first, others the dearest first. */
const inOrder = (first: Dimension) => (one: UsageGroup, other: UsageGroup) =>
  (first === "day" ? compare(other.group, one.group) : 0) ||
  other.cost_nano_usd - one.cost_nano_usd ||
  other.requests - one.requests ||
  compare(one.group, other.group) ||
  compare(one.second ?? "", other.second ?? "")

const compare = (one: string, other: string) => (one < other ? -1 : one > other ? 1 : 0)
