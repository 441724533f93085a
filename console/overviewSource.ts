import type { RequestView } from "../src/requests/RequestView.ts"
import type { App } from "./app.ts"
import type { Attention, OverviewRecord } from "../src/admin/OverviewRecord.ts"
import type { OwnOverview } from "../src/requests/OverviewSums.ts"
import type { Dimension, Group, Sums, Totals } from "./overviewData.ts"
import { ranges } from "./requestFilter.ts"
import type { Range } from "./requestFilter.ts"

/** The bucket width of each range. */
const steps: Readonly<Record<Range, number>> = { "1h": 60_000, "24h": 900_000, "7d": 7_200_000, "30d": 21_600_000 }

/** The sums of a range up to now, and the current problems. */
export interface LoadedOverview {
  readonly sums: Sums
  readonly attention: ReadonlyArray<Attention>
  readonly queue: OverviewRecord["queue"]
}

const totalsOf = ({ total }: OwnOverview): Totals => ({
  requests: total.requests,
  refused: total.refused,
  failed: total.failed,
  usd: total.cost_usd,
  upstreamUsd: total.upstream_cost_usd,
  input: total.input_tokens,
  output: total.output_tokens,
  firstP50: total.first_byte_ms?.p50 ?? 0,
  firstP95: total.first_byte_ms?.p95 ?? 0,
  durationP50: total.duration_ms?.p50 ?? 0,
  durationP95: total.duration_ms?.p95 ?? 0
})

/** @param nameOf returns a group's display name */
const sumsOf = (now: OwnOverview, before: OwnOverview | undefined, nameOf: (name: string) => string): Sums => {
  const { points } = now.total
  const groups = now.groups.map(({ cost_usd: usd, name, points, requests, upstream_cost_usd: upstreamUsd }): Group => ({
    name: nameOf(name),
    requests,
    usd,
    upstreamUsd,
    counts: points.map(({ requests }) => requests),
    costs: points.map(({ cost_usd }) => cost_usd)
  }))
  return {
    times: points.map(({ time }) => Date.parse(time)),
    stepMs: now.step_seconds * 1_000,
    totals: totalsOf(now),
    before: before === undefined || before.total.requests === 0 ? undefined : totalsOf(before),
    groups: groups.sort((one, other) => other.usd - one.usd || other.requests - one.requests),
    refused: points.map(({ refused }) => refused),
    failed: points.map(({ failed }) => failed),
    first: {
      p50: points.map(({ first_byte_ms }) => first_byte_ms?.p50 ?? NaN),
      p95: points.map(({ first_byte_ms }) => first_byte_ms?.p95 ?? NaN)
    },
    duration: {
      p50: points.map(({ duration_ms }) => duration_ms?.p50 ?? NaN),
      p95: points.map(({ duration_ms }) => duration_ms?.p95 ?? NaN)
    }
  }
}

/** A range up to now and the one before it, in Unix ms. */
const timesOf = (range: Range) => {
  const to = Date.now()
  const from = to - ranges[range]
  return { now: [from, to], before: [from - ranges[range], from] } as const
}
const iso = (ms: number) => new Date(ms).toISOString()

export const overviewOf = async (app: App, range: Range, by: Dimension): Promise<LoadedOverview> => {
  const times = timesOf(range)
  const ask = ([from, to]: readonly [number, number]) =>
    app.client.admin((admin) =>
      admin.adminWatch.overview({ urlParams: { from: iso(from), to: iso(to), by, step: steps[range] / 1_000 } })
    )
  const [now, before, keys] = await Promise.all([
    ask(times.now),
    ask(times.before).catch(() => undefined),
    app.catalogue.keys()
  ])
  const names = new Map(keys.map(({ id, name }) => [id, name]))
  return {
    attention: now.attention,
    queue: now.queue,
    sums: sumsOf(now, before, (name) => (by === "key" ? (names.get(name) ?? name) : name))
  }
}

/** The same for the signed-in account alone, by model. */
export const ownSums = async (app: App, range: Range): Promise<Sums> => {
  const times = timesOf(range)
  const step = Math.max(steps[range], range === "1h" ? 0 : 3_600_000) / 1_000
  const ask = ([from, to]: readonly [number, number]) =>
    app.client.json<OwnOverview>(
      `/v1/overview?${new URLSearchParams({ from: iso(from), to: iso(to), step: String(step) }).toString()}`
    )
  const [now, before] = await Promise.all([ask(times.now), ask(times.before).catch(() => undefined)])
  return sumsOf(now, before, (name) => name)
}

/** True if no request is stored at all. */
export const hasNone = async (app: App): Promise<boolean> => {
  const base = app.session.kind === "operator" ? "/admin/v1/requests" : "/v1/requests"
  const page = await app.client.json<{ readonly data: ReadonlyArray<RequestView> }>(`${base}?limit=1`)
  return page.data.length === 0
}
