import { Clock, Effect } from "effect"
import type { SqlError } from "@effect/sql/SqlError"
import { InvalidRequest } from "../contract/Failure.ts"
import { readTime } from "../contract/timeQuery.ts"
import { outcomeOf } from "../requests/outcome.ts"
import { RequestSums } from "../requests/store/RequestSums.ts"
import type { By, Seen } from "../requests/store/RequestSums.ts"
import { AttentionNow } from "./AttentionNow.ts"
import type { OverviewRecord } from "./OverviewRecord.ts"
import { shownSums, Tally, Took } from "./Tally.ts"
import type { Sums } from "./Tally.ts"

interface Asked {
  readonly from?: string | undefined
  readonly to?: string | undefined
  readonly by?: By | "tag" | undefined
  /** In seconds. */
  readonly step?: number | undefined
}

const hourMs = 3_600_000
/** Steps at most. */
const mostSteps = 1_000
/** What is aimed at where nobody asks for a step, and what a step may be, in ms. */
const aim = 60
const steps = [10_000, 60_000, 300_000, 900_000, hourMs, 3 * hourMs, 6 * hourMs, 24 * hourMs]
/** Requests that are looked at one by one: for percentiles, and where tags tell them apart. */
const mostSeen = 20_000
const mostTagged = 100_000
const mostGroups = 10

/** What happened in a time: from the sums of hours where steps are as long, else from those of the requests themselves. */
export class OverviewAdministration extends Effect.Service<OverviewAdministration>()(
  "gateway/admin/OverviewAdministration",
  {
    dependencies: [RequestSums.Default, AttentionNow.Default],
    effect: Effect.gen(function* () {
      const requests = yield* RequestSums
      const now = yield* AttentionNow

      const overview = (asked: Asked): Effect.Effect<OverviewRecord, InvalidRequest> =>
        Effect.gen(function* () {
          const time = yield* timeOf(asked, yield* Clock.currentTimeMillis)
          const { count, fromMs, stepMs, toMs } = time
          const by = asked.by ?? "model"
          const total = new Tally(fromMs, stepMs, count)
          const groups = new Map<string, Tally>()
          const groupOf = (name: string) => {
            let group = groups.get(name)
            if (group === undefined) groups.set(name, (group = new Tally(fromMs, stepMs, count)))
            return group
          }
          const tookOf = Array.from({ length: count }, () => new Took())
          const saw = (row: Seen) => {
            total.took.saw(row)
            tookOf[total.stepOf(row.at)]?.saw(row)
            for (const name of namesOf(row, by)) groupOf(name).took.saw(row)
          }
          let every = 1
          if (by === "tag") {
            const seen: Array<Seen> = []
            every = yield* requests.each({ fromMs, toMs, most: mostTagged, withTags: true }, (row) => {
              saw(row)
              seen.push(row)
            })
            for (const row of seen) {
              const sums = sumsOf(row, every)
              total.add(row.at, sums)
              for (const name of namesOf(row, by)) groupOf(name).add(row.at, sums)
            }
          } else {
            every = yield* requests.each({ fromMs, toMs, most: mostSeen, withTags: false }, saw)
            const add = (at: number, { name, ...sums }: Sums & { readonly name: string }) => {
              total.add(at, sums)
              groupOf(name).add(at, sums)
            }
            if (stepMs >= hourMs) {
              for (const { hour, ...sums } of yield* requests.hours(fromMs, toMs, by)) add(Math.max(fromMs, hour), sums)
            } else {
              const found = yield* requests.steps({ fromMs, toMs, stepMs, by })
              for (const { step, ...sums } of found) add(fromMs + step * stepMs, sums)
            }
          }
          const timeAt = (step: number) => new Date(fromMs + step * stepMs).toISOString()
          const largest = [...groups].toSorted(([, one], [, other]) => other.total.requests - one.total.requests)
          return {
            object: "overview" as const,
            from: new Date(fromMs).toISOString(),
            to: new Date(toMs).toISOString(),
            step_seconds: stepMs / 1_000,
            sampled: every > 1,
            total: {
              ...shownSums(total.total),
              ...total.took.shown(),
              points: total.steps.map((sums, step) => ({
                time: timeAt(step),
                ...shownSums(sums),
                ...(tookOf[step] ?? new Took()).shown()
              }))
            },
            groups: largest.slice(0, mostGroups).map(([name, tally]) => ({
              name,
              ...shownSums(tally.total),
              ...tally.took.shown(),
              points: tally.steps.map((sums, step) => ({ time: timeAt(step), ...shownSums(sums) }))
            })),
            queue: yield* now.queue,
            attention: yield* now.attention
          }
        }).pipe(Effect.catchIf((error): error is SqlError => error._tag === "SqlError", Effect.die))

      return { overview } as const
    })
  }
) {}

const sumsOf = (row: Seen, every: number): Sums => {
  const outcome = outcomeOf(row)
  return {
    requests: every,
    errors: outcome === "finished" ? 0 : every,
    refused: outcome === "refused" ? every : 0,
    hang_ups: outcome === "hang_up" ? every : 0,
    cost_nano_usd: (row.cost_nano_usd ?? 0) * every,
    input_tokens: row.input_tokens * every,
    output_tokens: row.output_tokens * every
  }
}

/** As the hours' sums have them: what no upstream was asked for is of no model. */
const namesOf = (row: Seen, by: By | "tag"): ReadonlyArray<string> => {
  switch (by) {
    case "model":
      return [row.upstream === "" ? "" : row.model]
    case "upstream":
      return [row.upstream]
    case "key":
      return [row.key_id]
    case "account":
      return [row.account_id]
    case "tag":
      return row.details?.tags ?? []
  }
}

interface Time {
  readonly fromMs: number
  readonly toMs: number
  readonly stepMs: number
  readonly count: number
}

/** The steps' bounds lie where everybody's do; the last one may not be over. */
const timeOf = ({ from = "24h", step, to }: Asked, nowMs: number): Effect.Effect<Time, InvalidRequest> => {
  const beginMs = readTime(from, nowMs) ?? nowMs
  const toMs = to === undefined ? nowMs : Math.min(readTime(to, nowMs, true) ?? nowMs, nowMs)
  if (beginMs >= toMs) {
    return Effect.fail(
      new InvalidRequest({ param: "from", message: "from: expected a time before `to`, and before now" })
    )
  }
  const wanted = (toMs - beginMs) / aim
  const stepMs = step === undefined ? (steps.find((one) => one >= wanted) ?? 24 * hourMs) : step * 1_000
  const fromMs = Math.floor(beginMs / stepMs) * stepMs
  const count = Math.ceil((toMs - fromMs) / stepMs)
  return count > mostSteps
    ? Effect.fail(
        new InvalidRequest({ param: "step", message: `step: expected ${mostSteps} steps at most; got ${count}` })
      )
    : Effect.succeed({ fromMs, toMs, stepMs, count })
}
