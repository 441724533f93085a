import { SqlClient } from "@effect/sql"
import { Clock, Effect } from "effect"
import type { SqlError } from "@effect/sql/SqlError"
import { InvalidRequest } from "../contract/Failure.ts"
import { readTime } from "../contract/timeQuery.ts"
import type { Settled } from "../ledger/store/settledSums.ts"
import type { ModelUseRecord } from "./ModelUseRecord.ts"
import { RequestSums } from "./store/RequestSums.ts"
import { modelHours } from "./store/modelHours.ts"
import type { ModelSum } from "./store/modelHours.ts"
import { Durations } from "./Tally.ts"

const hourMs = 3_600_000
/** The longest time, in days. */
const longest = 31
/** The most requests read one by one, for percentiles. */
const mostSeen = 20_000

/** Sums and percentiles of each model's requests. */
export class ModelUse extends Effect.Service<ModelUse>()("gateway/requests/ModelUse", {
  dependencies: [RequestSums.Default],
  effect: Effect.gen(function* () {
    const requests = yield* RequestSums
    const sql = yield* SqlClient.SqlClient

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
        const all = new Map<string, Sums>()
        const sumsOf = (model: string) => {
          const name = nameOf(model)
          const sums = all.get(name) ?? new Sums()
          all.set(name, sums)
          return sums
        }
        yield* modelHours(sql, { fromMs, toMs }, (sum) => sumsOf(sum.model).count(sum))
        yield* requests.settled({ fromMs, toMs, stepMs: hourMs, by: "model", owner: undefined }, (sum) =>
          sumsOf(sum.name).settle(sum)
        )
        const every = yield* requests.each({ fromMs, toMs, most: mostSeen, withDetails: false }, (row) =>
          sumsOf(row.model).took.add(row)
        )
        const about = { since: new Date(fromMs).toISOString(), sampled: every > 1 }
        return (name: string) => ({ ...about, ...(all.get(name) ?? new Sums()).shown() })
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

class Sums {
  readonly took = new Durations()
  #requests = 0
  #errors = 0
  #input = 0
  #read = 0
  readonly #settled = { input_tokens: 0, output_tokens: 0, cost_nano_usd: 0, upstream_cost_nano_usd: 0 }

  count(sum: Omit<ModelSum, "model">): void {
    this.#requests += sum.requests
    this.#errors += sum.errors
    this.#input += sum.input_tokens + sum.cache_read_tokens + sum.cache_write_tokens
    this.#read += sum.cache_read_tokens
  }

  settle(sum: Settled): void {
    this.#settled.input_tokens += sum.input_tokens
    this.#settled.output_tokens += sum.output_tokens
    this.#settled.cost_nano_usd += sum.cost_nano_usd
    this.#settled.upstream_cost_nano_usd += sum.upstream_cost_nano_usd
  }

  shown(): Omit<ModelUseRecord, "since" | "sampled"> {
    const { cost_nano_usd, upstream_cost_nano_usd, ...tokens } = this.#settled
    return {
      requests: this.#requests,
      errors: this.#errors,
      ...tokens,
      cost_usd: cost_nano_usd / 1e9,
      upstream_cost_usd: upstream_cost_nano_usd / 1e9,
      cache_hit_rate: this.#input === 0 ? null : this.#read / this.#input,
      ...this.took.shown()
    }
  }
}
