import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import { InvalidRequest } from "../contract/failures/Failure.ts"
import type { RowUsage } from "../ledger/usageReportOf.ts"
import { addSums, noSums } from "../sums/Sums.ts"
import type { Sums } from "../sums/Sums.ts"
import { mapInTurns, sortInTurns } from "../flow/inTurns.ts"
import type { UsageGroup } from "../ledger/store/usageGroup.ts"
import { usageRowsOf } from "./store/usageRowsOf.ts"
import type { UsedRequest } from "./store/usageRowsOf.ts"

/** Callers name tags and end users: more of them are counted together. */
const mostGroups = 10_000
const others = "(others)"

/**
 * Sums the stored requests by tag or by end user. A request counts for each of its tags, once for a tag that it repeats; the
 * totals count it once.
 */
export class RequestUsage extends Effect.Service<RequestUsage>()("gateway/requests/RequestUsage", {
  effect: Effect.gen(function* () {
    const read = usageRowsOf(yield* SqlClient.SqlClient)

    const by: RowUsage = (of, query) =>
      Effect.suspend(() => {
        const found = new Map<string, Sums>()
        const totals = noSums()
        const see = (row: UsedRequest) => {
          addSums(totals, row.used)
          for (const name of namesOf(of, row)) {
            const group = found.has(name) || found.size < mostGroups ? name : others
            found.set(group, addSums(found.get(group) ?? noSums(), row.used))
          }
        }
        return Effect.flatMap(read(query, see), () =>
          Effect.promise(async () => {
            const groups = await mapInTurns([...found], ([group, sums]) => ({
              ...sums,
              group,
              second: null,
              name: null
            }))
            return { totals, groups: await sortInTurns(groups, dearestFirst) }
          })
        )
      }).pipe(
        Effect.catchTag(
          "TooManyRows",
          ({ most }) =>
            new InvalidRequest({
              param: "since",
              message: `since: more than ${most} requests lie in this span; ask for a shorter one`
            })
        )
      )

    return { by } as const
  })
}) {}

const dearestFirst = (one: UsageGroup, other: UsageGroup): number =>
  other.cost_nano_usd - one.cost_nano_usd || other.requests - one.requests || (one.group < other.group ? -1 : 1)

/** A request without a tag or an end user is counted under no name. */
const namesOf = (of: "tag" | "end_user", { endUser, tags }: UsedRequest): Iterable<string> =>
  of === "end_user" ? [endUser] : tags.length === 0 ? [""] : new Set(tags)
