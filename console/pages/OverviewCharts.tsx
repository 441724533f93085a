import { inputIn } from "../../src/contract/records/measures.ts"
import { useSignal } from "@preact/signals"
import type { ComponentChildren } from "preact"
import type { OverviewGroups } from "../../src/requests/OverviewGroups.ts"
import { costText } from "../../src/contract/text/usdText.ts"
import type { OwnOverview } from "../../src/requests/OverviewSums.ts"
import { count, countText, duration, durationText, number, span } from "../format.ts"
import { overviewPlots } from "../overviewPlots.ts"
import { Chart } from "../parts/Chart.tsx"
import { Measure } from "../parts/text.tsx"
import { words } from "../words/words.ts"

const text = words.overview

/** Requests, cost, first byte and duration over time, with a shared cursor. */
export const OverviewCharts = ({
  nameOf,
  of
}: {
  readonly of: OwnOverview
  readonly nameOf: (name: string) => string
}) => {
  const cursor = useSignal<number | undefined>(undefined)
  const plots = overviewPlots(of, nameOf)
  const per = text.per(span(of.step_seconds * 1_000))
  return (
    <div class="charts">
      <Chart cursor={cursor} title={text.charts.requests} note={per} plotted={plots.requests} />
      <Chart cursor={cursor} title={text.charts.cost} note={per} plotted={plots.cost} />
      <Chart cursor={cursor} title={text.charts.first} plotted={plots.first} />
      <Chart cursor={cursor} title={text.charts.duration} plotted={plots.duration} />
    </div>
  )
}

type Total = OverviewGroups["total"]

/** How a figure differs from before, in per cent. */
const change = (now: number | undefined, before: number | undefined): string | undefined => {
  if (now === undefined || before === undefined || before === 0) return undefined
  const share = (100 * (now - before)) / before
  if (Math.abs(share) < 0.05) return text.same
  return text.onBefore(`${share < 0 ? "−" : "+"}${number(Math.abs(share), Math.abs(share) < 100 ? 1 : 0)} %`)
}

const Figure = ({
  children,
  name,
  notes
}: {
  readonly name: string
  readonly children: ComponentChildren
  readonly notes: ReadonlyArray<string | undefined>
}) => (
  <div>
    <dt>{name}</dt>
    <dd>
      <b>{children}</b>
      {notes.map((note, at) => note !== undefined && <p key={at}>{note}</p>)}
    </dd>
  </div>
)

const tokensOf = (of: Omit<Total, "before">) => inputIn(of) + of.output_tokens
const failedShare = (of: Omit<Total, "before">) => (of.requests === 0 ? 0 : (100 * of.failed) / of.requests)

/** Six figures, each beside the span before. */
export const OverviewFigures = ({ of }: { readonly of: Total }) => {
  const { before } = of
  const input = tokensOf(of) - of.output_tokens
  const p95 = (ms: number | undefined) => (ms === undefined ? undefined : text.p95(durationText(ms)))
  return (
    <dl class="figures">
      <Figure name={text.figures.requests} notes={[change(of.requests, before?.requests)]}>
        {number(of.requests)}
      </Figure>
      <Figure
        name={text.figures.failed}
        notes={[
          text.ofRequests(number(of.failed), number(of.refused)),
          before === null ? undefined : text.failedBefore(number(failedShare(before), 2))
        ]}
      >
        <Measure of={[number(failedShare(of), 2), "%"]} />
      </Figure>
      <Figure
        name={text.figures.cost}
        notes={[
          change(of.cost_usd, before?.cost_usd),
          of.upstream_cost_usd === undefined ? undefined : text.upstreamCost(costText(of.upstream_cost_usd))
        ]}
      >
        {costText(of.cost_usd)}
      </Figure>
      <Figure
        name={text.figures.tokens}
        notes={[
          change(tokensOf(of), before === null ? undefined : tokensOf(before)),
          text.inOut(countText(input), countText(of.output_tokens)),
          of.cache_hit_rate === null ? undefined : text.cached(number(100 * of.cache_hit_rate, 1))
        ]}
      >
        <Measure of={count(tokensOf(of))} />
      </Figure>
      <Figure
        name={text.figures.first}
        notes={[p95(of.first_byte_ms?.p95), change(of.first_byte_ms?.p50, before?.first_byte_ms?.p50)]}
      >
        <Measure of={duration(of.first_byte_ms?.p50 ?? 0)} />
      </Figure>
      <Figure
        name={text.figures.duration}
        notes={[p95(of.duration_ms?.p95), change(of.duration_ms?.p50, before?.duration_ms?.p50)]}
      >
        <Measure of={duration(of.duration_ms?.p50 ?? 0)} />
      </Figure>
    </dl>
  )
}
