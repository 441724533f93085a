import type { OwnOverview } from "../src/requests/OverviewSums.ts"
import type { OverviewGroups } from "../src/requests/OverviewGroups.ts"
import { actingIn } from "./actingIn.ts"
import type { App } from "./app.ts"
import type { Span } from "./spans.ts"

/** The dimensions of two of which a row may be a pair. */
export const columns = ["model", "upstream", "account", "key"] as const
export type Column = (typeof columns)[number]
/** All dimensions. */
export const dimensions = [...columns, "tag", "user", "service_tier"] as const
export type Dimension = (typeof dimensions)[number]

/** A grouping: one dimension, or two. */
export interface Grouping {
  readonly first: Dimension
  readonly second: Column | undefined
}

const isColumn = (name: string | undefined): name is Column => columns.some((one) => one === name)

/** The grouping of an address: `by=account,model`. */
export const groupingOf = (query: URLSearchParams): Grouping => {
  const [named, other] = (query.get("by") ?? "").split(",")
  const first = dimensions.find((one) => one === named) ?? "model"
  return { first, second: isColumn(first) && isColumn(other) && other !== first ? other : undefined }
}

/** The usual pairs, which are one choice. */
export const pairs = ["account,model", "key,model"] as const

export const textOf = ({ first, second }: Grouping): string => (second === undefined ? first : `${first},${second}`)

const iso = (ms: number) => new Date(ms).toISOString()
const times = ({ from, to }: Span) => ({ from: iso(from), to: iso(to) })

/** The steps of a span, the current problems and the backlog. */
export const overviewOf = (app: App, span: Span, by: Dimension) =>
  app.client.admin((admin) => admin.adminWatch.overview({ urlParams: { ...times(span), by } }))

/** The steps of a span for the signed-in account alone. */
export const ownOverviewOf = (app: App, span: Span): Promise<OwnOverview> =>
  app.client.own((own) => own.account.overview({ urlParams: times(span) }))

/** A table of groups: of all accounts for operators, otherwise of the signed-in one. */
export const groupsOf = (app: App, span: Span, by: string): Promise<OverviewGroups> => {
  const urlParams = { ...times(span), by }
  return app.session.kind === "operator"
    ? app.client.admin((admin) => admin.adminOverview.groups({ urlParams }))
    : app.client.own((own) => own.account.overviewGroups({ urlParams }))
}

/** The address of the same table as CSV, below the base path. */
export const csvOf = (app: App, span: Span, by: string): string => {
  const query = new URLSearchParams({ ...times(span), by, format: "csv", ...actingIn.query() })
  return `${app.session.kind === "operator" ? "/admin/v1" : "/v1"}/overview/groups?${query.toString()}`
}

/** The cost of a span's traffic by another model's price. */
export const costOn = (app: App, span: Span, model: string) =>
  app.client.admin((admin) => admin.adminOverview.cost({ urlParams: { ...times(span), on: model } }))

/** True if no request is stored at all. */
export const hasNone = async (app: App): Promise<boolean> => {
  const urlParams = { limit: 1 }
  const { data } =
    app.session.kind === "operator"
      ? await app.client.admin((admin) => admin.adminOperations.listRequests({ urlParams }))
      : await app.client.own((own) => own.account.requests({ urlParams }))
  return data.length === 0
}
