import { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Clock, Effect } from "effect"
import { InvalidRequest } from "../contract/failures/Failure.ts"
import { mapInTurns, sortInTurns } from "../flow/inTurns.ts"
import type { Own } from "../contract/callers/Own.ts"
import { keyNames } from "../ledger/store/keyNames.ts"
import { outcomeOfStored } from "./attemptCounts.ts"
import { Figures, shownFigures } from "./groupFigures.ts"
import type { Sums } from "../sums/Sums.ts"
import { labelsOf } from "./labels.ts"
import type { Label } from "./labels.ts"
import { countsOf } from "./Tally.ts"
import { groupingOf, groupingWords } from "./OverviewGroups.ts"
import type { Grouping, OverviewGroups } from "./OverviewGroups.ts"
import { spanOf } from "./spanOf.ts"
import { GroupCounts } from "./store/GroupCounts.ts"
import type { GroupBy, GroupFilter, GroupQuery } from "./store/GroupCounts.ts"
import { columnOf, RequestSums } from "./store/RequestSums.ts"
import type { SampledRequest } from "./store/RequestSums.ts"
import { percentiles } from "./Tally.ts"

export interface GroupsAsked extends GroupFilter {
  readonly from?: string | undefined
  readonly to?: string | undefined
  readonly by?: string | undefined
  readonly limit?: number | undefined
}

/** The most requests read one by one: for percentiles, and for groups by tag or end user. */
const [mostSeen, mostLabelled] = [20_000, 100_000]
/** More groups would take too much memory: callers name tags and end users. */
const mostGroups = 100_000

/** The figures of groups of requests in a span, and in the span of the same length before it. */
export class RequestGroups extends Effect.Service<RequestGroups>()("gateway/requests/RequestGroups", {
  dependencies: [GroupCounts.Default, RequestSums.Default],
  effect: Effect.gen(function* () {
    const counts = yield* GroupCounts
    const requests = yield* RequestSums
    const namesOf = keyNames(yield* SqlClient.SqlClient)

    const byColumns = Effect.fnUntraced(function* (query: GroupQuery, by: GroupBy) {
      const table = new Table()
      yield* counts.requests(query, by, (sums) => table.addOnce([sums.name, sums.second], sums))
      yield* counts.money(query, by, (sums) => table.addOnce([sums.name, sums.second], sums))
      const secondOf = (row: SampledRequest) => (by.second === undefined ? "" : row[columnOf[by.second]])
      const see = (row: SampledRequest) => {
        table.total.took.add(row)
        table.of([row[columnOf[by.first]], secondOf(row)]).took.add(row)
      }
      const { fromMs, owner, toMs } = query
      const scope = counts.ofRows(query)
      // Of all requests, ids are the number.
      const number = owner === undefined && scope.where?.length === 0 ? undefined : table.requests
      const isPart = yield* requests.each({ fromMs, toMs, scope, most: mostSeen, number }, see)
      if (by.first === "upstream" && by.second === undefined && owner === undefined && query.upstream === undefined) {
        for (const { name, ...some } of yield* counts.attempts(query)) table.of([name, ""]).add(some)
        const bound = { most: mostSeen, requests: table.requests }
        yield* counts.eachAttempt(query, bound, (attempt) => {
          const outcome = outcomeOfStored(attempt)
          if (outcome === "answered" || outcome === "cut") {
            table.of([attempt.upstream, ""]).attemptsTook.push(attempt.duration_ms)
          }
        })
      }
      return { table, isPart }
    })

    const byLabel = Effect.fnUntraced(function* (query: GroupQuery, label: Label) {
      const table = new Table()
      const { fromMs, toMs } = query
      const times = { fromMs, toMs, most: mostLabelled }
      const isPart = yield* requests.each(
        { ...times, withDetails: true, scope: counts.ofRows(query) },
        ({ details, ...row }, every) => {
          const names = labelsOf(label, details ?? {})
          table.add(names, countsOf(row, every))
          table.total.took.add(row)
          for (const name of names) table.of([name, ""]).took.add(row)
        }
      )
      const isPaidInPart = yield* requests.settledWithDetails(
        { ...times, scope: counts.ofUsage(query) },
        ({ details, sums }) => table.add(labelsOf(label, details), sums)
      )
      return { table, isPart: isPart || isPaidInPart }
    })

    const read = (query: GroupQuery, grouping: Grouping) =>
      grouping.of === "columns" ? byColumns(query, grouping) : byLabel(query, grouping.label)

    /** @param own the account whose requests are summed up, or some of its keys; undefined for those of all */
    const of = (asked: GroupsAsked, own?: Own): Effect.Effect<OverviewGroups, InvalidRequest> =>
      Effect.gen(function* () {
        const { by = "model", from, limit = 100, to, ...filter } = asked
        const grouping = groupingOf(by)
        if (grouping === undefined) {
          return yield* new InvalidRequest({ param: "by", message: `by: expected ${groupingWords}` })
        }
        const nowMs = yield* Clock.currentTimeMillis
        const { fromMs, toMs } = yield* spanOf({ from, to }, nowMs)
        const beforeMs = 2 * fromMs - toMs
        const whose = { ...filter, nowMs, owner: own?.account, keys: own?.keys }
        const now = yield* read({ ...whose, fromMs, toMs }, grouping)
        const before = yield* read({ ...whose, fromMs: beforeMs, toMs: fromMs }, grouping)
        if (now.table.size > mostGroups) {
          return yield* new InvalidRequest({
            param: "by",
            message: `by: more than ${mostGroups} groups; ask for a shorter span, or for fewer dimensions`
          })
        }
        const isOperator = own === undefined
        const isPair = grouping.of === "columns" && grouping.second !== undefined
        const all = yield* now.table.largestFirst
        const shown = all.slice(0, limit)
        const keyOf = (id: GroupId) =>
          grouping.of === "labels"
            ? undefined
            : grouping.first === "key"
              ? id[0]
              : grouping.second === "key"
                ? id[1]
                : undefined
        const known = yield* namesOf([...new Set(shown.flatMap(([id]) => keyOf(id) ?? []))])
        const earlier = (figures: Figures | undefined) =>
          figures === undefined || figures.sums.requests + figures.sums.cost_nano_usd === 0
            ? null
            : shownFigures(figures, isOperator)
        const hasAttempts = isOperator && by === "upstream" && filter.upstream === undefined
        const data = yield* Effect.promise(() =>
          mapInTurns(shown, ([id, figures]) => ({
            group: id[0],
            second: isPair ? id[1] : null,
            name: known.get(keyOf(id) ?? "") ?? null,
            ...shownFigures(figures, isOperator),
            ...(hasAttempts ? { attempts: attemptsShown(figures) } : {}),
            before: earlier(before.table.find(id))
          }))
        )
        return {
          object: "overview_groups" as const,
          by,
          from: new Date(fromMs).toISOString(),
          to: new Date(toMs).toISOString(),
          before_from: new Date(beforeMs).toISOString(),
          sampled: now.isPart || before.isPart,
          total: { ...shownFigures(now.table.total, isOperator), before: earlier(before.table.total) },
          data,
          count: all.length
        }
      }).pipe(Effect.catchIf((error): error is SqlError => error._tag === "SqlError", Effect.die))

    return { of } as const
  })
}) {}

type GroupId = readonly [first: string, second: string]

type Group = readonly [GroupId, Figures]

const largestFirst = ([one, { sums }]: Group, [other, { sums: others }]: Group): number =>
  others.cost_nano_usd - sums.cost_nano_usd ||
  others.requests - sums.requests ||
  (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1)

/** The figures of all groups, and of all requests. */
class Table {
  readonly total = new Figures()
  readonly #groups = new Map<string, readonly [GroupId, Figures]>()

  get requests(): number {
    return this.total.sums.requests
  }

  get size(): number {
    return this.#groups.size
  }

  of(id: GroupId): Figures {
    const text = JSON.stringify(id)
    const [, found] = this.#groups.get(text) ?? []
    if (found !== undefined) return found
    const figures = new Figures()
    this.#groups.set(text, [id, figures])
    return figures
  }

  find(id: GroupId): Figures | undefined {
    return this.#groups.get(JSON.stringify(id))?.[1]
  }

  addOnce(id: GroupId, sums: Partial<Readonly<Sums>>): void {
    this.total.add(sums)
    this.of(id).add(sums)
  }

  /** Adds to several groups; the total counts it once. */
  add(names: ReadonlyArray<string>, sums: Partial<Readonly<Sums>>): void {
    this.total.add(sums)
    for (const name of names) this.of([name, ""]).add(sums)
  }

  get largestFirst(): Effect.Effect<ReadonlyArray<Group>> {
    return Effect.promise(() => sortInTurns([...this.#groups.values()], largestFirst))
  }
}

const attemptsShown = ({ attemptsTook, sums }: Figures) => ({
  attempts: sums.attempts,
  failed: sums.failed_attempts,
  hidden: sums.hidden_failures,
  outpaced: sums.outpaced_attempts,
  duration_ms: percentiles(attemptsTook)
})
