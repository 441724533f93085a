import type { RequestView } from "../../requests/RequestView.ts"
import type { App } from "./app.ts"
import type { Attention, OverviewRecord } from "../../admin/OverviewRecord.ts"
import { sumUp } from "./overviewData.ts"
import type { Dimension, Group, Sums, Totals } from "./overviewData.ts"
import { isQuestion, ranges } from "./requestFilter.ts"
import type { Range } from "./requestFilter.ts"

/** Width of a bucket for each range. */
const steps: Readonly<Record<Range, number>> = { "1h": 60_000, "24h": 900_000, "7d": 7_200_000, "30d": 21_600_000 }

/** Rows summed up here at most. */
const mostRows = 20_000

/** The sums of a range up to now, out of the rows of requests. */
export const sumsOfRows = async (app: App, range: Range, by: Dimension): Promise<Sums> => {
  const to = Date.now()
  const from = to - ranges[range]
  const base = app.session.kind === "operator" ? "/admin/v1/requests" : "/v1/requests"
  const keys = await app.catalogue.keys()
  const names = new Map(keys.map(({ id, name }) => [id, name]))
  const rows: Array<RequestView> = []
  let after: string | null | undefined
  while (after !== null && rows.length < mostRows) {
    const query = new URLSearchParams({
      since: new Date(from).toISOString(),
      limit: "1000",
      ...(after === undefined ? {} : { after })
    })
    const page: { readonly data: ReadonlyArray<RequestView>; readonly next: string | null } = await app.client.json(
      `${base}?${query.toString()}`
    )
    rows.push(...page.data.filter((row) => !isQuestion(row)))
    after = page.next
  }
  return sumUp(rows, { from, to, stepMs: steps[range] }, by, (id) => names.get(id) ?? id)
}

/** The sums of a range up to now as the gateway adds them up, and what it says needs somebody. */
export interface Told {
  readonly sums: Sums
  readonly attention: ReadonlyArray<Attention>
  readonly queue: OverviewRecord["queue"]
}

const totalsOf = ({ total }: OverviewRecord): Totals => ({
  requests: total.requests,
  refused: total.refused,
  failed: total.failed,
  usd: total.cost_usd,
  input: total.input_tokens,
  output: total.output_tokens,
  firstP50: total.first_byte_ms?.p50 ?? 0,
  firstP95: total.first_byte_ms?.p95 ?? 0,
  durationP50: total.duration_ms?.p50 ?? 0,
  durationP95: total.duration_ms?.p95 ?? 0
})

export const overviewOf = async (app: App, range: Range, by: Dimension): Promise<Told> => {
  const to = Date.now()
  const from = to - ranges[range]
  const step = steps[range] / 1_000
  const ask = (from: number, to: number) =>
    app.client.admin((admin) =>
      admin.adminWatch.overview({
        urlParams: { from: new Date(from).toISOString(), to: new Date(to).toISOString(), by, step }
      })
    )
  const [now, before, keys] = await Promise.all([
    ask(from, to),
    ask(from - ranges[range], from).catch(() => undefined),
    app.catalogue.keys()
  ])
  const names = new Map(keys.map(({ id, name }) => [id, name]))
  const { points } = now.total
  const groups = now.groups.map(({ cost_usd: usd, name, points, requests }): Group => ({
    name: by === "key" ? (names.get(name) ?? name) : name,
    requests,
    usd,
    counts: points.map(({ requests }) => requests),
    costs: points.map(({ cost_usd }) => cost_usd)
  }))
  return {
    attention: now.attention,
    queue: now.queue,
    sums: {
      times: points.map(({ time }) => Date.parse(time)),
      stepMs: now.step_seconds * 1_000,
      totals: totalsOf(now),
      before: before === undefined || before.total.requests === 0 ? undefined : totalsOf(before),
      groups: groups.sort((one, other) => other.usd - one.usd || other.requests - one.requests),
      refused: points.map(({ refused }) => refused),
      failed: points.map(({ failed }) => failed),
      first: {
        p50: points.map(({ first_byte_ms }) => first_byte_ms?.p50 ?? 0),
        p95: points.map(({ first_byte_ms }) => first_byte_ms?.p95 ?? 0)
      },
      duration: {
        p50: points.map(({ duration_ms }) => duration_ms?.p50 ?? 0),
        p95: points.map(({ duration_ms }) => duration_ms?.p95 ?? 0)
      }
    }
  }
}

/** Whether no request is kept at all. */
export const hasNone = async (app: App): Promise<boolean> => {
  const base = app.session.kind === "operator" ? "/admin/v1/requests" : "/v1/requests"
  const page = await app.client.json<{ readonly data: ReadonlyArray<RequestView> }>(`${base}?limit=1`)
  return page.data.length === 0
}
