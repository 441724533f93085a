import type { RequestView } from "../../requests/RequestView.ts"
import type { App } from "./app.ts"
import { sumUp } from "./overviewData.ts"
import type { Dimension, Sums } from "./overviewData.ts"
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

/** Whether no request is kept at all. */
export const hasNone = async (app: App): Promise<boolean> => {
  const base = app.session.kind === "operator" ? "/admin/v1/requests" : "/v1/requests"
  const page = await app.client.json<{ readonly data: ReadonlyArray<RequestView> }>(`${base}?limit=1`)
  return page.data.length === 0
}
