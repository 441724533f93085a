import type { SqlError } from "@effect/sql/SqlError"
import { Clock, Effect } from "effect"
import { InvalidRequest } from "../contract/failures/Failure.ts"
import { readTime } from "../contract/timeQuery.ts"
import { isLabel, labelsOf } from "./labels.ts"
import type { Label, Labels } from "./labels.ts"
import type { OwnOverview } from "./OverviewSums.ts"
import { mapInTurns, sortInTurns } from "../flow/inTurns.ts"
import type { Own } from "../contract/callers/Own.ts"
import { GroupCounts } from "./store/GroupCounts.ts"
import { RequestSums } from "./store/RequestSums.ts"
import type { By, SampledRequest } from "./store/RequestSums.ts"
import { countsOf, shownSums, Tally, Durations } from "./Tally.ts"
import type { Sums } from "../sums/Sums.ts"

export interface OverviewAsked {
  readonly from?: string | undefined
  readonly to?: string | undefined
  readonly by?: By | Label | undefined
  /** In seconds. */
  readonly step?: number | undefined
}

const hourMs = 3_600_000
/** The most steps. */
const mostSteps = 1_000
/** The number of steps without an explicit step, and the allowed steps in ms. */
const aim = 60
const steps = [10_000, 60_000, 300_000, 900_000, hourMs, 3 * hourMs, 6 * hourMs, 24 * hourMs]
/** The most requests read one by one: for percentiles and groups by tag. */
const mostSeen = 20_000
const mostTagged = 100_000
const mostGroups = 10
/** An account's own requests are found among all others, so longer time spans only use the hourly sums. */
const longestOwn = 6 * hourMs

/**
 * Sums of the requests in a period: from the hours' sums if steps are that long, otherwise from the requests
 * themselves.
 */
export class RequestOverview extends Effect.Service<RequestOverview>()("gateway/requests/RequestOverview", {
  dependencies: [RequestSums.Default, GroupCounts.Default],
  effect: Effect.gen(function* () {
    const requests = yield* RequestSums
    const counts = yield* GroupCounts

    /** @param own the account whose requests are summed up, or some of its keys; undefined for those of all */
    const of = (asked: OverviewAsked, own?: Own): Effect.Effect<OwnOverview, InvalidRequest> =>
      Effect.gen(function* () {
        const owner = own?.account
        const keys = own?.keys
        const nowMs = yield* Clock.currentTimeMillis
        const time = yield* timeOf(asked, nowMs, owner === undefined ? Infinity : longestOwn)
        const { count, fromMs, stepMs, toMs } = time
        const by = asked.by ?? "model"
        const total = new Tally(fromMs, stepMs, count)
        const groups = new Map<string, Tally>()
        const groupOf = (name: string) => {
          let group = groups.get(name)
          if (group === undefined) groups.set(name, (group = new Tally(fromMs, stepMs, count)))
          return group
        }
        const tookOf = Array.from({ length: count }, () => new Durations())
        const sample = (row: SampledRequest) => {
          total.took.add(row)
          tookOf[total.stepOf(row.at)]?.add(row)
          for (const name of namesOf(row, by)) groupOf(name).took.add(row)
        }
        let isPart = false
        const add = (at: number, names: ReadonlyArray<string>, sums: Partial<Sums>) => {
          total.add(at, sums)
          for (const name of names) groupOf(name).add(at, sums)
        }
        const query = { fromMs, toMs, nowMs, owner, keys, stepMs }
        const group = isLabel(by) ? undefined : { first: by }
        yield* counts.money(query, group, (sums) => add(sums.atMs, isLabel(by) ? [] : [sums.name], sums))
        if (isLabel(by)) {
          const isSeenInPart = yield* requests.each(
            { fromMs, toMs, most: mostTagged, withDetails: true, scope: counts.ofRows(query) },
            (row, every) => {
              sample(row)
              add(row.at, namesOf(row, by), countsOf(row, every))
            }
          )
          const isPaidInPart = yield* requests.settledWithDetails(
            { fromMs, toMs, most: mostTagged, scope: counts.ofUsage(query) },
            ({ at, details, sums }) => {
              for (const name of labelNames(by, details)) groupOf(name).add(at, sums)
            }
          )
          isPart = isSeenInPart || isPaidInPart
        } else {
          yield* counts.requests(query, { first: by }, (sums) => add(sums.atMs, [sums.name], sums))
          const number = owner === undefined ? undefined : total.total.requests
          isPart = yield* requests.each({ fromMs, toMs, most: mostSeen, number, scope: counts.ofRows(query) }, sample)
        }
        const timeAt = (step: number) => new Date(fromMs + step * stepMs).toISOString()
        const show = (sums: Sums) => shownSums(sums, owner === undefined)
        const largest = yield* Effect.promise(() => sortInTurns([...groups], largestFirst))
        const points = yield* Effect.promise(() =>
          mapInTurns([...total.steps.entries()], ([step, sums]) => ({
            time: timeAt(step),
            ...show(sums),
            ...(tookOf[step] ?? new Durations()).shown()
          }))
        )
        const largestShown = yield* Effect.promise(() =>
          mapInTurns(largest.slice(0, mostGroups), ([name, tally]) => ({
            name,
            ...show(tally.total),
            ...tally.took.shown(),
            points: tally.steps.map((sums, step) => ({ time: timeAt(step), ...show(sums) }))
          }))
        )
        return {
          object: "overview" as const,
          from: new Date(fromMs).toISOString(),
          to: new Date(toMs).toISOString(),
          step_seconds: stepMs / 1_000,
          sampled: isPart,
          total: {
            ...show(total.total),
            ...total.took.shown(),
            points
          },
          groups: largestShown
        }
      }).pipe(Effect.catchIf((error): error is SqlError => error._tag === "SqlError", Effect.die))

    return { of } as const
  })
}) {}

type Group = readonly [name: string, tally: Tally]
const largestFirst = ([, { total: one }]: Group, [, { total: other }]: Group): number =>
  other.cost_nano_usd - one.cost_nano_usd || other.requests - one.requests

/** Requests without a tag or an end user are in no group. */
const labelNames = (by: Label, labels: Labels = {}) => labelsOf(by, labels).filter((name) => name !== "")

const namesOf = (row: SampledRequest, by: By | Label): ReadonlyArray<string> => {
  switch (by) {
    case "model":
      return [row.model]
    case "upstream":
      return [row.upstream]
    case "key":
      return [row.key_id]
    case "account":
      return [row.account_id]
    case "tag":
    case "user":
    case "service_tier":
      return labelNames(by, row.details)
  }
}

interface Time {
  readonly fromMs: number
  readonly toMs: number
  readonly stepMs: number
  readonly count: number
}

/**
 * Steps begin at round times, the same for every query; the last one may not be over.
 *
 * @param longestMs longer time spans have no steps below an hour
 */
const timeOf = (
  { from = "24h", step, to }: OverviewAsked,
  nowMs: number,
  longestMs: number
): Effect.Effect<Time, InvalidRequest> => {
  const beginMs = readTime(from, nowMs) ?? nowMs
  const toMs = to === undefined ? nowMs : Math.min(readTime(to, nowMs, true) ?? nowMs, nowMs)
  if (beginMs >= toMs) {
    return Effect.fail(
      new InvalidRequest({ param: "from", message: "from: expected a time before `to`, and before now" })
    )
  }
  const leastMs = toMs - beginMs > longestMs ? hourMs : 0
  const wanted = Math.max(leastMs, (toMs - beginMs) / aim)
  const stepMs =
    step === undefined
      ? (steps.find((one) => one >= wanted) ?? Math.ceil(wanted / (24 * hourMs)) * 24 * hourMs)
      : step * 1_000
  if (stepMs < leastMs) {
    return Effect.fail(
      new InvalidRequest({
        param: "step",
        message: `step: expected 3600 or more for a time span of more than ${longestMs / hourMs} hours; got ${step}`
      })
    )
  }
  const fromMs = Math.floor(beginMs / stepMs) * stepMs
  const count = Math.ceil((toMs - fromMs) / stepMs)
  return count > mostSteps
    ? Effect.fail(
        new InvalidRequest({ param: "step", message: `step: expected ${mostSteps} steps at most; got ${count}` })
      )
    : Effect.succeed({ fromMs, toMs, stepMs, count })
}
