import { Effect } from "effect"
import { InvalidRequest } from "../../contract/Failure.ts"
import { sortInTurns } from "../../flow/inTurns.ts"
import type { Dimension } from "../usageBy.ts"
import { addSums, noSums } from "./sums.ts"
import type { UsageGroup, UsageSums } from "./usageGroup.ts"

/** More groups would take too much memory. */
const most = 200_000

/** Groups of usage that are added up part by part. */
export class UsageGroups {
  readonly #groups = new Map<string, UsageGroup>()
  #totals = noSums

  /** The sums of all groups. */
  get totals(): UsageSums {
    return this.#totals
  }

  add(some: ReadonlyArray<UsageGroup>): Effect.Effect<void, InvalidRequest> {
    for (const row of some) {
      const id = JSON.stringify([row.group, row.second])
      this.#totals = addSums(row, this.#totals)
      this.#groups.set(id, { ...row, ...addSums(row, this.#groups.get(id)) })
    }
    return this.#groups.size > most ? tooMany : Effect.void
  }

  /** Days newest first, others the dearest first. */
  sorted(first: Dimension): Effect.Effect<ReadonlyArray<UsageGroup>> {
    return Effect.promise(() => sortInTurns([...this.#groups.values()], inOrder(first)))
  }
}

const tooMany = new InvalidRequest({
  param: "by",
  message: `by: more than ${most} groups; ask for a shorter span, or for fewer dimensions`
})

const inOrder = (first: Dimension) => (one: UsageGroup, other: UsageGroup) =>
  (first === "day" ? compare(other.group, one.group) : 0) ||
  other.costNanoUsd - one.costNanoUsd ||
  other.requests - one.requests ||
  compare(one.group, other.group) ||
  compare(one.second ?? "", other.second ?? "")

const compare = (one: string, other: string) => (one < other ? -1 : one > other ? 1 : 0)
