/** The dimensions that requests can be grouped by. */
export const dimensions = ["model", "upstream", "account", "key", "tag"] as const
export type Dimension = (typeof dimensions)[number]

export interface Totals {
  readonly requests: number
  readonly refused: number
  /** Includes answers that were cut off. */
  readonly failed: number
  readonly usd: number
  /** Upstream costs; undefined for account holders. */
  readonly upstreamUsd: number | undefined
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
  readonly upstreamUsd: number | undefined
  /** One per bucket. */
  readonly counts: ReadonlyArray<number>
  readonly costs: ReadonlyArray<number>
}

/** The sums of a time range. */
export interface Sums {
  readonly times: ReadonlyArray<number>
  readonly stepMs: number
  readonly totals: Totals
  /** The sums of the previous range; undefined if unknown. */
  readonly before: Totals | undefined
  /** By cost, then by number of requests, highest first. */
  readonly groups: ReadonlyArray<Group>
  readonly refused: ReadonlyArray<number>
  readonly failed: ReadonlyArray<number>
  readonly first: Percentiles
  readonly duration: Percentiles
}
/** NaN if there were no requests. */
interface Percentiles {
  readonly p50: ReadonlyArray<number>
  readonly p95: ReadonlyArray<number>
}

/** The first groups, and the rest as one. */
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
      upstreamUsd: undefined,
      counts: added(({ counts }) => counts),
      costs: added(({ costs }) => costs)
    }
  ]
}
