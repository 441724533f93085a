import type { OwnOverview } from "../src/requests/OverviewSums.ts"
import type { Plotted, Series } from "./parts/Plot.tsx"
import { durationText, usd, number } from "./format.ts"
import { words } from "./words/words.ts"

const text = words.overview

const colours = ["s1", "s2", "s3", "s4"]

const short = (value: number) =>
  value >= 1_000 ? `${number(value / 1_000, value % 1_000 === 0 ? 0 : 1)} k` : number(value, value % 1 === 0 ? 0 : 1)

const latencyAxis = (value: number) =>
  value === 0
    ? "0"
    : value >= 1_000
      ? `${number(value / 1_000, value % 1_000 === 0 ? 0 : 1)} s`
      : `${number(value, value < 10 ? 1 : 0)} ms`

/** One group's values, one for each step. */
interface Group {
  readonly name: string
  readonly counts: ReadonlyArray<number>
  readonly costs: ReadonlyArray<number>
}

/** The first groups, and the rest as one. */
const foremost = (groups: ReadonlyArray<Group>, most: number): ReadonlyArray<Group> => {
  if (groups.length <= most) return groups
  const rest = groups.slice(most - 1)
  const added = (of: (group: Group) => ReadonlyArray<number>) =>
    (rest[0] === undefined ? [] : of(rest[0])).map((_, at) =>
      rest.reduce((sum, group) => sum + (of(group)[at] ?? 0), 0)
    )
  return [
    ...groups.slice(0, most - 1),
    { name: text.other, counts: added(({ counts }) => counts), costs: added(({ costs }) => costs) }
  ]
}

/** The four charts of an overview. @param nameOf a group's name for readers */
export const overviewPlots = (
  { groups: all, total }: OwnOverview,
  nameOf: (name: string) => string
): Readonly<Record<"requests" | "cost" | "first" | "duration", Plotted>> => {
  const { points } = total
  const times = points.map(({ time }) => Date.parse(time))
  const groups = foremost(
    all.map(({ name, points }) => ({
      name: nameOf(name),
      counts: points.map(({ requests }) => requests),
      costs: points.map(({ cost_usd }) => cost_usd)
    })),
    colours.length
  )
  const stacked = (
    values: (group: Group) => ReadonlyArray<number>,
    tell: (value: number) => string
  ): ReadonlyArray<Series> =>
    groups.map((group, at) => ({ name: group.name, colour: colours[at] ?? "s4", values: values(group), tell }))
  // Refused and failed requests are stacked above the successful ones and counted once.
  const shareWell = points.map(({ failed, refused }, at) => {
    const sum = groups.reduce((added, { counts }) => added + (counts[at] ?? 0), 0)
    return sum === 0 ? 1 : Math.max(0, sum - refused - failed) / sum
  })
  const took = (ms: number) => (Number.isNaN(ms) ? words.none : durationText(ms))
  const percentiles = (of: "first_byte_ms" | "duration_ms"): Plotted => ({
    kind: "lines",
    times,
    axis: latencyAxis,
    series: [
      { name: "p50", colour: "s1", values: points.map((point) => point[of]?.p50 ?? NaN), tell: took },
      { name: "p95", colour: "s2", values: points.map((point) => point[of]?.p95 ?? NaN), tell: took }
    ]
  })
  const outcome = (name: string, colour: string, of: "refused" | "failed"): Series => ({
    name,
    colour,
    values: points.map((point) => point[of]),
    tell: number
  })
  return {
    requests: {
      kind: "bars",
      isCount: true,
      times,
      axis: short,
      series: [
        ...stacked(
          ({ counts }) => counts.map((value, at) => value * (shareWell[at] ?? 1)),
          (value) => number(Math.round(value))
        ),
        outcome(text.refused, "warn-fill", "refused"),
        outcome(text.failed, "bad-fill", "failed")
      ]
    },
    cost: {
      kind: "bars",
      times,
      axis: (value) => (value === 0 ? "0" : usd(value)),
      series: stacked(({ costs }) => costs, usd)
    },
    first: percentiles("first_byte_ms"),
    duration: percentiles("duration_ms")
  }
}
