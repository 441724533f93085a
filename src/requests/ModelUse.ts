import { SqlClient } from "@effect/sql"
import { Clock, Effect } from "effect"
import type { SqlError } from "@effect/sql/SqlError"
import { InvalidRequest } from "../contract/failures/Failure.ts"
import { inputIn, inputMeasures } from "../contract/records/measures.ts"
import { readTime } from "../contract/timeQuery.ts"
import { usageBooks } from "../ledger/store/usageBooks.ts"
import { allSummed } from "../ledger/store/usageStatements.ts"
import { addSums, noSums, settledMeasures } from "../sums/Sums.ts"
import { mapSums } from "../sums/sumsOf.ts"
import type { ModelUseRecord } from "./ModelUseRecord.ts"
import { GroupCounts } from "./store/GroupCounts.ts"
import { requestBook } from "./store/requestBook.ts"
import { RequestSums } from "./store/RequestSums.ts"
import { Durations } from "./Tally.ts"

const hourMs = 3_600_000
/** The longest time, in days. */
const longest = 31
/** The most requests read one by one, for percentiles. */
const mostSeen = 20_000

/** Sums and percentiles of each model's requests. */
export class ModelUse extends Effect.Service<ModelUse>()("gateway/requests/ModelUse", {
  dependencies: [GroupCounts.Default, RequestSums.Default],
  effect: Effect.gen(function* () {
    const requests = yield* RequestSums
    const sql = yield* SqlClient.SqlClient
    const { ofRows } = yield* GroupCounts
    const [counted, settled] = [requestBook(sql), usageBooks(sql, allSummed(sql)).hours]

    /**
     * @param since as `TimeQuery`
     * @param nameOf the name under which a model's requests count
     * @returns the use of a name, also of one without requests
     */
    const of = (
      since: string,
      nameOf: (model: string) => string
    ): Effect.Effect<(name: string) => ModelUseRecord, InvalidRequest> =>
      Effect.gen(function* () {
        const toMs = yield* Clock.currentTimeMillis
        const fromMs = yield* beginOf(since, toMs)
        const all = new Map<string, Use>()
        const useOf = (model: string) => {
          const name = nameOf(model)
          const use = all.get(name) ?? noUse()
          all.set(name, use)
          return use
        }
        const query = { span: { fromMs, toMs }, nowMs: toMs, by: ["model"] as const }
        yield* mapSums(sql, counted, { ...query, scope: ofRows({}), measures: ofRequests }, (sums) =>
          addSums(useOf(sums.name).counted, sums)
        )
        yield* mapSums(sql, settled, { ...query, measures: settledMeasures }, (sums) =>
          addSums(useOf(sums.name).settled, sums)
        )
        const sampled = yield* requests.each({ fromMs, toMs, most: mostSeen }, (row) => useOf(row.model).took.add(row))
        const about = { since: new Date(fromMs).toISOString(), sampled }
        return (name: string) => ({ ...about, ...show(all.get(name) ?? noUse()) })
      }).pipe(Effect.catchIf((error): error is SqlError => error._tag === "SqlError", Effect.die))

    return { of } as const
  })
}) {}

/** The whole hour that contains a moment. */
const beginOf = (since: string, nowMs: number): Effect.Effect<number, InvalidRequest> => {
  const sinceMs = readTime(since, nowMs) ?? nowMs
  return sinceMs > nowMs || nowMs - sinceMs > longest * 24 * hourMs
    ? Effect.fail(
        new InvalidRequest({
          param: "since",
          message: `since: expected a time of the last ${longest} days; got ${since}`
        })
      )
    : Effect.succeed(Math.floor(sinceMs / hourMs) * hourMs)
}

/** Of requests that create tasks, tokens are settled alone. */
const ofRequests = ["requests", "errors", ...inputMeasures] as const

const noUse = () => ({ counted: noSums(), settled: noSums(), took: new Durations() })
type Use = ReturnType<typeof noUse>

const show = ({ counted, settled, took }: Use): Omit<ModelUseRecord, "since" | "sampled"> => {
  const input = inputIn(counted)
  return {
    requests: counted.requests,
    errors: counted.errors,
    input_tokens: settled.input_tokens,
    output_tokens: settled.output_tokens,
    cost_usd: settled.cost_nano_usd / 1e9,
    upstream_cost_usd: settled.upstream_cost_nano_usd / 1e9,
    cache_hit_rate: input === 0 ? null : counted.cache_read_tokens / input,
    ...took.shown()
  }
}
