import { SqlClient } from "@effect/sql"
import { Clock, Effect } from "effect"
import { InvalidRequest } from "../contract/failures/Failure.ts"
import { money } from "../ledger/Money.ts"
import { costOf } from "../ledger/cost.ts"
import type { Price } from "../ledger/Price.ts"
import { usedRows } from "../ledger/store/usedRows.ts"
import { UsageReport } from "../ledger/store/UsageReport.ts"
import { spanOf } from "./spanOf.ts"
import { GroupCounts } from "./store/GroupCounts.ts"
import type { GroupFilter } from "./store/GroupCounts.ts"
import type { TrafficCost } from "./TrafficCost.ts"

export interface TrafficAsked extends GroupFilter {
  readonly from?: string | undefined
  readonly to?: string | undefined
}

/** The other model. */
interface Target {
  readonly model: string
  readonly upstream: string
  readonly price: Price
  readonly priceSource: TrafficCost["price_source"]
  /** True if requests to a model can be priced by this one: both models are of one kind. */
  readonly isLike: (model: string) => boolean
}

/** More rows would take minutes. */
const mostRows = 5_000_000
/** Callers may name any number of models where a wildcard is served. */
const mostModels = 1_000
const others = "(others)"

/** Prices past requests by another model's price, each by its own tokens. */
export class TrafficCosts extends Effect.Service<TrafficCosts>()("gateway/requests/TrafficCosts", {
  dependencies: [GroupCounts.Default, UsageReport.Default],
  effect: Effect.gen(function* () {
    const { ofUsage } = yield* GroupCounts
    const { rowsSince } = yield* UsageReport
    const each = usedRows(yield* SqlClient.SqlClient)

    const on = (target: Target, { from, to, ...filter }: TrafficAsked): Effect.Effect<TrafficCost, InvalidRequest> =>
      Effect.gen(function* () {
        const span = yield* spanOf({ from, to }, yield* Clock.currentTimeMillis)
        const sinceMs = yield* rowsSince
        const models = new Map<string, Sum>()
        const isAll = yield* Effect.orDie(
          each(span, ofUsage(filter), mostRows, ({ costNanoUsd, model, used }) => {
            const isPriced = (used.videoFrames ?? 0) === 0 && target.isLike(model)
            const ofModel = `${String(isPriced)} ${model}`
            const name = models.has(ofModel) || models.size < mostModels ? model : others
            const key = `${String(isPriced)} ${name}`
            const sum = models.get(key) ?? { model: name, requests: 0, cost: 0, there: isPriced ? 0 : undefined }
            models.set(key, sum)
            sum.requests++
            sum.cost += costNanoUsd
            if (sum.there !== undefined) sum.there += costOf(target.price, used)
          })
        )
        if (!isAll) {
          return yield* new InvalidRequest({
            param: "from",
            message: `from: more than ${mostRows} requests lie in this span; ask for a shorter one`
          })
        }
        const rows = [...models.values()].toSorted(
          (one, other) => other.cost - one.cost || (one.model < other.model ? -1 : 1)
        )
        const priced = rows.filter(({ there }) => there !== undefined)
        const sumOf = (of: (row: Sum) => number) => priced.reduce((sum, row) => sum + of(row), 0)
        return {
          object: "traffic_cost" as const,
          model: target.model,
          upstream: target.upstream,
          price_source: target.priceSource,
          from: new Date(span.fromMs).toISOString(),
          to: new Date(span.toMs).toISOString(),
          ...(sinceMs !== undefined && sinceMs > span.fromMs && { rows_since: new Date(sinceMs).toISOString() }),
          total: {
            requests: sumOf(({ requests }) => requests),
            cost: money(sumOf(({ cost }) => cost)),
            cost_there: money(sumOf(({ there = 0 }) => there))
          },
          not_priced: rows.reduce((sum, { requests, there }) => sum + (there === undefined ? requests : 0), 0),
          data: rows.map(({ cost, model, requests, there }) => ({
            model,
            requests,
            cost: money(cost),
            cost_there: there === undefined ? null : money(there)
          }))
        }
      })

    return { on } as const
  })
}) {}

interface Sum {
  readonly model: string
  requests: number
  cost: number
  /** Undefined if it can't be priced. */
  there: number | undefined
}
