import type { Attention } from "../../src/admin/OverviewRecord.ts"
import type { App, RenderPage } from "../app.ts"
import { leadOf } from "../attention.ts"
import { faint, segments } from "../components/bits.ts"
import { empty, loader } from "../components/states.ts"
import { shape } from "../components/status.ts"
import { fill, h } from "../dom.ts"
import { number, usd } from "../format.ts"
import { pageHead } from "../frame.ts"
import { dimensions } from "../overviewData.ts"
import type { Dimension, Sums } from "../overviewData.ts"
import { hasNone, overviewOf } from "../overviewSource.ts"
import type { LoadedOverview } from "../overviewSource.ts"
import { isRange, ranges } from "../requestFilter.ts"
import type { Range } from "../requestFilter.ts"
import { hrefOf, withQuery } from "../router.ts"
import { firstRequest } from "../snippets.ts"
import { upstreamsOf } from "../upstreamSource.ts"
import type { UpstreamRow } from "../upstreamSource.ts"
import { words } from "../words/words.ts"
import { liveButton } from "./liveButton.ts"
import { overviewCharts, overviewFigures } from "./overviewCharts.ts"
import { upstreamTable } from "./upstreamTable.ts"

const text = words.overview

/** The interval of refreshes while live. */
const everyMs = 5_000

interface Loaded extends LoadedOverview {
  readonly upstreams: ReadonlyArray<UpstreamRow>
  /** True if there was never a request. */
  readonly isBare: boolean
}

const attentionList = (items: ReadonlyArray<Attention>) =>
  items.length > 0 && [
    h("h2", { class: "sr" }, text.attention),
    h(
      "ul",
      { class: "attention" },
      items.map((item) => {
        const lead = leadOf(item)
        return h(
          "li",
          {},
          shape(item.level === "error" ? "bad" : "warn"),
          h("span", {}, item.message),
          lead !== undefined && h("a", { class: "to", href: lead.href }, lead.see)
        )
      })
    )
  ]

const money = (dollars: number) => (dollars === 0 ? faint(text.free) : usd(dollars, dollars < 0.01 ? 5 : 2))

/** The cost of the most expensive groups; for operators also the upstream cost. */
export const costTable = (app: App, sums: Sums, by: Dimension): HTMLElement => {
  const rows = sums.groups.slice(0, 8)
  const most = Math.max(...rows.map(({ requests, usd }) => (sums.totals.usd > 0 ? usd : requests)), 1e-12)
  const range = app.route().query.get("range") ?? "24h"
  const { columns } = text
  const isOperator = app.session.kind === "operator"
  return h(
    "table",
    { class: "table", "aria-label": text.costBy },
    h(
      "thead",
      {},
      h(
        "tr",
        {},
        h("th", { scope: "col" }, text.by[by]),
        h("th", { scope: "col", class: "right", css: { width: "88px" } }, columns.requests),
        h("th", { scope: "col", class: "right", css: { width: "88px" } }, columns.cost),
        isOperator && h("th", { scope: "col", class: "right", css: { width: "104px" } }, columns.upstreamCost),
        h("th", { scope: "col", class: "no-phone", css: { width: "120px" } }, columns.share)
      )
    ),
    h(
      "tbody",
      {},
      rows.map(({ name, requests, upstreamUsd, usd: cost }) => {
        const share = (100 * (sums.totals.usd > 0 ? cost : requests)) / most
        return h(
          "tr",
          {},
          h(
            "td",
            {},
            name === ""
              ? faint(text.untagged)
              : h(
                  "a",
                  { class: "plain-link", href: hrefOf("requests", undefined, { q: `${by}:${name}`, range }) },
                  name
                )
          ),
          h("td", { class: "right" }, number(requests)),
          h("td", { class: "right" }, money(cost)),
          isOperator && h("td", { class: "right" }, money(upstreamUsd ?? 0)),
          h(
            "td",
            { class: "no-phone" },
            h("span", { class: "meter", "aria-hidden": "true" }, h("i", { css: { width: `${share.toFixed(1)}%` } }))
          )
        )
      })
    )
  )
}

const isDimension = (name: string): name is Dimension => dimensions.some((dimension) => dimension === name)

/** Problems, traffic, speed and cost. */
export const overview: RenderPage = (app, main) => {
  const live = liveButton(() => live.isOn() && void loading.run(true))
  const range = h("span")
  const head = pageHead(words.pages.overview, range, live.element)
  const area = h("div", { class: "page" })
  fill(main, head.element, area)
  let charts: ReturnType<typeof overviewCharts> | undefined
  let loaded: Loaded | undefined
  let asked = ""

  const chosen = (): { readonly range: Range; readonly by: Dimension } => {
    const { query } = app.route()
    const [asked, by] = [query.get("range"), query.get("by") ?? "model"]
    return { range: isRange(asked) ? asked : "24h", by: isDimension(by) ? by : "model" }
  }
  const draw = () => {
    if (loaded === undefined) return
    const { attention, isBare, queue, sums, upstreams } = loaded
    const { by } = chosen()
    if (isBare) {
      fill(area, empty(app, text.emptyTitle, text.empty, firstRequest(location.origin)))
      return
    }
    if (charts === undefined) charts = overviewCharts(sums)
    else charts.show(sums)
    fill(
      area,
      attentionList(attention),
      overviewFigures(sums),
      sums.totals.requests === 0 && h("p", { class: "faint quiet-time" }, text.quiet),
      charts.element,
      h(
        "div",
        { class: "columns" },
        upstreams.length > 0 &&
          h(
            "section",
            {},
            h(
              "div",
              { class: "caption" },
              h("h2", {}, text.upstreams),
              faint(text.queue(number(queue.tasks), number(queue.deliveries), number(queue.waiting)))
            ),
            upstreamTable(upstreams, false)
          ),
        h(
          "section",
          {},
          h(
            "div",
            { class: "caption" },
            h("h2", {}, text.costBy),
            segments(
              text.costBy,
              dimensions.map((name) => [name, text.by[name]]),
              by,
              (name) => app.go(withQuery(app.route(), { by: name }), "replace")
            )
          ),
          costTable(app, sums, by)
        )
      ),
      h("p", { class: "hint" }, words.requests.afterKill)
    )
  }
  const loading = loader(
    app,
    words.pages.overview,
    area,
    async (): Promise<Loaded> => {
      const { by, range } = chosen()
      const [told, upstreams] = await Promise.all([overviewOf(app, range, by), upstreamsOf(app).catch(() => [])])
      const isBare = told.sums.totals.requests === 0 && (await hasNone(app))
      return { ...told, upstreams, isBare }
    },
    (now) => {
      loaded = now
      draw()
    }
  )
  const ticking = setInterval(() => live.isOn() && void loading.run(true), everyMs)
  const heard = app.live.onChange(({ what }) => {
    if (what === "upstream" || what === "account") void loading.run(true)
  })
  return {
    show({ query }) {
      fill(
        range,
        segments(
          text.range,
          Object.keys(ranges).flatMap((name) => (isRange(name) ? [[name, text.ranges[name]] as const] : [])),
          chosen().range,
          (name) => app.go(withQuery(app.route(), { range: name }))
        )
      )
      if (asked === query.toString() && loaded !== undefined) return
      asked = query.toString()
      void loading.run(loaded !== undefined)
    },
    redraw: draw,
    toggleLive: live.toggle,
    close() {
      heard()
      clearInterval(ticking)
      charts?.close()
      loading.close()
    }
  }
}
