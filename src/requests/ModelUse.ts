import { SqlClient } from "@effect/sql"
import { Clock, Effect, Schema } from "effect"
import type { SqlError } from "@effect/sql/SqlError"
import { InvalidRequest } from "../contract/Failure.ts"
import { said } from "../contract/fields.ts"
import { readTime } from "../contract/timeQuery.ts"
import { upstreamCost } from "../ledger/Money.ts"
import type { Settled } from "../ledger/store/settledSums.ts"
import { Percentiles } from "./OverviewSums.ts"
import { RequestSums } from "./store/RequestSums.ts"
import { modelHours } from "./store/modelHours.ts"
import type { ModelSum } from "./store/modelHours.ts"
import { Durations } from "./Tally.ts"

const hourMs = 3_600_000
/** The longest time, in days. */
const longest = 31
/** The most requests read one by one, for percentiles. */
const mostSeen = 20_000

/** The use of a model in a time. */
export const ModelUseRecord = Schema.Struct({
  since: said(Schema.String, "When this time began, a whole hour (ISO 8601, UTC)."),
  requests: said(Schema.Int, "Finished requests that reached an upstream or made a task."),
  errors: said(Schema.Int, "Unsuccessful ones of them."),
  input_tokens: said(Schema.Int, "Settled input tokens, without cached ones."),
  output_tokens: said(Schema.Int, "Settled output tokens, including reasoning."),
  cost_usd: said(Schema.Number, "The amount settled in this time, in dollars."),
  upstream_cost_usd: upstreamCost,
  cache_hit_rate: said(
    Schema.NullOr(Schema.Number),
    "Input tokens that were read from a cache, of all (0 to 1); null without input. Tasks are not counted."
  ),
  first_byte_ms: said(Percentiles, "Time to the first byte; null if no request was sampled."),
  duration_ms: said(Percentiles, "Time to the end of the answer."),
  sampled: said(Schema.Boolean, "True if the percentiles are from a sample of the requests.")
}).annotations({ identifier: "ModelUse" })
export type ModelUseRecord = typeof ModelUseRecord.Type

/** Sums and percentiles of each model's requests. */
export class ModelUse extends Effect.Service<ModelUse>()("gateway/requests/ModelUse", {
  dependencies: [RequestSums.Default],
  effect: Effect.gen(function* () {
    const requests = yield* RequestSums
    const sql = yield* SqlClient.SqlClient
    const hours = (fromMs: number, toMs: number) =>
      Effect.provideService(modelHours(fromMs, toMs), SqlClient.SqlClient, sql)

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
        for (const sum of yield* hours(fromMs, toMs)) sumsOf(sum.model).count(sum)
        const settled = yield* requests.settled({ fromMs, toMs, stepMs: hourMs, by: "model", owner: undefined })
        for (const sum of settled) sumsOf(sum.name).settle(sum)
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
