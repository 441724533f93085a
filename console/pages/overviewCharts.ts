import { measure } from "../components/bits.ts"
import { chart, chartGroup } from "../components/chart.ts"
import type { Plotted, Series } from "../components/plot.ts"
import { h } from "../dom.ts"
import type { Child } from "../dom.ts"
import { count, countText, duration, durationText, number, span, usd } from "../format.ts"
import type { Measure } from "../format.ts"
import { foremost } from "../overviewData.ts"
import type { Sums, Totals } from "../overviewData.ts"
import { words } from "../words/words.ts"

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

const named = (name: string) => (name === "" ? text.untagged : name)

const plots = (sums: Sums): Readonly<Record<"requests" | "cost" | "first" | "duration", Plotted>> => {
  const { duration, failed, first, refused, times } = sums
  const groups = foremost(sums.groups, 4, text.other)
  const stacked = (
    values: (at: number) => ReadonlyArray<number>,
    tell: (value: number) => string
  ): ReadonlyArray<Series> =>
    groups.map(({ name }, at) => ({ name: named(name), colour: colours[at] ?? "s4", values: values(at), tell }))
  // Refused and failed requests are stacked above the successful ones and counted once.
  const shareWell = times.map((_, at) => {
    const all = groups.reduce((sum, { counts }) => sum + (counts[at] ?? 0), 0)
    return all === 0 ? 1 : Math.max(0, all - (refused[at] ?? 0) - (failed[at] ?? 0)) / all
  })
  const took = (ms: number) => (Number.isNaN(ms) ? words.none : durationText(ms))
  const percentiles = (of: Sums["first"]): ReadonlyArray<Series> => [
    { name: "p50", colour: "s1", values: of.p50, tell: took },
    { name: "p95", colour: "s2", values: of.p95, tell: took }
  ]
  return {
    requests: {
      kind: "bars",
      isCount: true,
      times,
      axis: short,
      series: [
        ...stacked(
          (at) => (groups[at]?.counts ?? []).map((value, index) => value * (shareWell[index] ?? 1)),
          (value) => number(Math.round(value))
        ),
        { name: text.refused, colour: "warn-fill", values: refused, tell: number },
        { name: text.failed, colour: "bad-fill", values: failed, tell: number }
      ]
    },
    cost: {
      kind: "bars",
      times,
      axis: (value, step) => (value === 0 ? "0" : usd(value, step % 1 === 0 ? 0 : step >= 0.01 ? 2 : 4)),
      series: stacked(
        (at) => groups[at]?.costs ?? [],
        (value) => usd(value, value >= 1 ? 2 : 4)
      )
    },
    first: { kind: "lines", times, axis: latencyAxis, series: percentiles(first) },
    duration: { kind: "lines", times, axis: latencyAxis, series: percentiles(duration) }
  }
}

/** Requests, cost, first byte and duration over time, with a shared cursor. */
export const overviewCharts = (sums: Sums) => {
  const group = chartGroup()
  const first = plots(sums)
  const per = (stepMs: number) => text.per(span(stepMs))
  const charts = {
    requests: chart(group, text.charts.requests, per(sums.stepMs), first.requests),
    cost: chart(group, text.charts.cost, per(sums.stepMs), first.cost),
    first: chart(group, text.charts.first, "", first.first),
    duration: chart(group, text.charts.duration, "", first.duration)
  }
  const all = Object.values(charts)
  return {
    element: h(
      "div",
      { class: "charts" },
      all.map(({ element }) => element)
    ),
    show(next: Sums) {
      const plotted = plots(next)
      charts.requests.show(plotted.requests, per(next.stepMs))
      charts.cost.show(plotted.cost, per(next.stepMs))
      charts.first.show(plotted.first)
      charts.duration.show(plotted.duration)
    },
    close: () => all.forEach(({ close }) => close())
  }
}

const change = (now: number, before: number | undefined): string | undefined => {
  if (before === undefined || before === 0) return undefined
  const share = (100 * (now - before)) / before
  return text.onBefore(`${share < 0 ? "−" : "+"}${number(Math.abs(share), 1)} %`)
}

/** Six figures, each with an explanation. */
export const overviewFigures = ({ before, totals }: Sums): HTMLElement => {
  const figure = (name: string, value: Child, ...notes: ReadonlyArray<string>) =>
    h(
      "div",
      {},
      h("dt", {}, name),
      h(
        "dd",
        {},
        h("b", {}, value),
        notes.map((note) => note !== "" && h("p", {}, note))
      )
    )
  const told = (of: Measure) => measure(of)
  const failedShare = totals.requests === 0 ? 0 : (100 * totals.failed) / totals.requests
  const p95 = (ms: number) => text.p95(durationText(ms))
  const previous = (of: (totals: Totals) => number) => (before === undefined ? undefined : of(before))
  return h(
    "dl",
    { class: "figures" },
    figure(
      text.figures.requests,
      number(totals.requests),
      change(
        totals.requests,
        previous(({ requests }) => requests)
      ) ?? ""
    ),
    figure(
      text.figures.failed,
      told([number(failedShare, 2), "%"]),
      text.ofRequests(number(totals.failed), number(totals.refused))
    ),
    figure(
      text.figures.cost,
      usd(totals.usd),
      change(
        totals.usd,
        previous(({ usd }) => usd)
      ) ?? "",
      totals.upstreamUsd === undefined ? "" : text.upstreamCost(usd(totals.upstreamUsd))
    ),
    figure(
      text.figures.tokens,
      told(count(totals.input + totals.output)),
      text.inOut(countText(totals.input), countText(totals.output))
    ),
    figure(text.figures.first, told(duration(totals.firstP50)), p95(totals.firstP95)),
    figure(text.figures.duration, told(duration(totals.durationP50)), p95(totals.durationP95))
  )
}
