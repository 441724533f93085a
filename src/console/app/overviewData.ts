import { outcomeOf } from "../../requests/outcome.ts"
import type { RequestView } from "../../requests/RequestView.ts"
import { inputOf, isTrouble } from "./outcome.ts"

/** By what requests can be told apart. */
export const dimensions = ["model", "upstream", "account", "key", "tag"] as const
export type Dimension = (typeof dimensions)[number]

export interface Totals {
  readonly requests: number
  readonly refused: number
  /** Also what was cut after its answer had begun. */
  readonly failed: number
  readonly usd: number
  readonly input: number
  readonly output: number
  readonly firstP50: number
  readonly firstP95: number
  readonly durationP50: number
  readonly durationP95: number
}

export interface Group {
  readonly name: string
  readonly requests: number
  readonly usd: number
  /** In each bucket. */
  readonly counts: ReadonlyArray<number>
  readonly costs: ReadonlyArray<number>
}

/** A time in sums. */
export interface Sums {
  readonly times: ReadonlyArray<number>
  readonly stepMs: number
  readonly totals: Totals
  /** The same of the time before; undefined where it is not known. */
  readonly before: Totals | undefined
  /** Dearest first, then most. */
  readonly groups: ReadonlyArray<Group>
  readonly refused: ReadonlyArray<number>
  readonly failed: ReadonlyArray<number>
  readonly first: Percentiles
  readonly duration: Percentiles
}
interface Percentiles {
  readonly p50: ReadonlyArray<number>
  readonly p95: ReadonlyArray<number>
}

const percentile = (sorted: ReadonlyArray<number>, share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0

const namesOf = (row: RequestView, by: Dimension, keyName: (id: string) => string): ReadonlyArray<string> => {
  if (by === "tag") return row.tags.length === 0 ? [""] : row.tags
  if (by === "key") return [keyName(row.key)]
  return [row[by] ?? ""]
}

/** Sums up rows of requests; what was only refused before it had a model counts too. */
export const sumUp = (
  rows: ReadonlyArray<RequestView>,
  span: { readonly from: number; readonly to: number; readonly stepMs: number },
  by: Dimension,
  keyName: (id: string) => string
): Sums => {
  const first = Math.floor(span.from / span.stepMs) * span.stepMs
  const buckets = Math.max(1, Math.ceil((span.to - first) / span.stepMs))
  const zeros = () => Array.from({ length: buckets }, () => 0)
  const groups = new Map<string, { requests: number; usd: number; counts: Array<number>; costs: Array<number> }>()
  const refused = zeros()
  const failed = zeros()
  const firsts = Array.from({ length: buckets }, (): Array<number> => [])
  const durations = Array.from({ length: buckets }, (): Array<number> => [])
  const sums = { requests: 0, refused: 0, failed: 0, usd: 0, input: 0, output: 0 }
  for (const row of rows) {
    const at = Math.floor((Date.parse(row.time) - first) / span.stepMs)
    if (at < 0 || at >= buckets) continue
    const usd = row.cost_usd ?? 0
    sums.requests += 1
    sums.usd += usd
    sums.input += inputOf(row)
    sums.output += row.output_tokens
    const outcome = outcomeOf(row)
    if (isTrouble(outcome)) {
      sums.failed += 1
      failed[at] = (failed[at] ?? 0) + 1
    } else if (outcome === "refused") {
      sums.refused += 1
      refused[at] = (refused[at] ?? 0) + 1
    } else if (outcome === "finished") {
      firsts[at]?.push(row.first_byte_ms)
      durations[at]?.push(row.duration_ms)
    }
    for (const name of namesOf(row, by, keyName)) {
      const group = groups.get(name) ?? { requests: 0, usd: 0, counts: zeros(), costs: zeros() }
      groups.set(name, group)
      group.requests += 1
      group.usd += usd
      group.counts[at] = (group.counts[at] ?? 0) + 1
      group.costs[at] = (group.costs[at] ?? 0) + usd
    }
  }
  const sortedAll = (lists: ReadonlyArray<ReadonlyArray<number>>) => lists.flat().sort((a, b) => a - b)
  const [allFirst, allDuration] = [sortedAll(firsts), sortedAll(durations)]
  const each = (lists: ReadonlyArray<Array<number>>): Percentiles => {
    const sorted = lists.map((list) => list.sort((a, b) => a - b))
    return { p50: sorted.map((list) => percentile(list, 0.5)), p95: sorted.map((list) => percentile(list, 0.95)) }
  }
  return {
    times: Array.from({ length: buckets }, (_, at) => first + at * span.stepMs),
    stepMs: span.stepMs,
    totals: {
      ...sums,
      firstP50: percentile(allFirst, 0.5),
      firstP95: percentile(allFirst, 0.95),
      durationP50: percentile(allDuration, 0.5),
      durationP95: percentile(allDuration, 0.95)
    },
    before: undefined,
    groups: [...groups]
      .map(([name, group]) => ({ name, ...group }))
      .sort((one, other) => other.usd - one.usd || other.requests - one.requests),
    refused,
    failed,
    first: each(firsts),
    duration: each(durations)
  }
}

/** The first so many groups, and the others as one. */
export const foremost = (groups: ReadonlyArray<Group>, most: number, other: string): ReadonlyArray<Group> => {
  if (groups.length <= most) return groups
  const rest = groups.slice(most - 1)
  const added = (of: (group: Group) => ReadonlyArray<number>) =>
    (rest[0] === undefined ? [] : of(rest[0])).map((_, at) =>
      rest.reduce((sum, group) => sum + (of(group)[at] ?? 0), 0)
    )
  return [
    ...groups.slice(0, most - 1),
    {
      name: other,
      requests: rest.reduce((sum, { requests }) => sum + requests, 0),
      usd: rest.reduce((sum, { usd }) => sum + usd, 0),
      counts: added(({ counts }) => counts),
      costs: added(({ costs }) => costs)
    }
  ]
}
