import { outcomes } from "../../src/requests/outcome.ts"
import type { RequestView } from "../../src/requests/RequestView.ts"
import type { RenderPage } from "../app.ts"
import { button } from "../components/bits.ts"
import { makeDrawer } from "../components/drawer.ts"
import { clearFilters, filterBar, filterText } from "../components/filterBar.ts"
import { histogram } from "../components/histogram.ts"
import { rowsTable } from "../components/rowsTable.ts"
import { empty, loader, noMatch, skeleton } from "../components/states.ts"
import { fill, h } from "../dom.ts"
import { clock, number, usd } from "../format.ts"
import { pageHead } from "../frame.ts"
import { filterNames, isRange, ranges, requestFilter } from "../requestFilter.ts"
import { emptyTally, requestSource } from "../requestSource.ts"
import type { RequestSource } from "../requestSource.ts"
import { hrefOf, withQuery } from "../router.ts"
import type { Route } from "../router.ts"
import { firstRequest } from "../snippets.ts"
import { words } from "../words/words.ts"
import { requestColumns } from "./requestColumns.ts"
import { requestDrawer } from "./requestDrawer.ts"
import { liveButton } from "./liveButton.ts"

const text = words.requests

/** The sizes of the first page and of later ones. */
const firstRows = 100
const pageRows = 500
/** How often live totals are counted again, in ms. In between, new requests are added here. */
const countEveryMs = 30_000

/** The list of requests, newest first: live, filtered, zoomed, with a drawer. */
export const requests: RenderPage = (app, main) => {
  const live = liveButton()
  const range = h("span")
  const head = pageHead(words.pages.requests, range, live.element)
  const filters = filterBar(app, { label: text.search, example: text.example })
  const chart = histogram((from, to) => app.go(withQuery(app.route(), { t: `${Math.round(from)}-${Math.round(to)}` })))
  const area = h("div", { class: "page" })
  fill(main, head.element, filters.element, area)

  let names: ReadonlyMap<string, string> = new Map<string, string>()
  const keyName = (id: string) => names.get(id) ?? id
  const open = (row: RequestView) => {
    const { id, query } = app.route()
    app.go(hrefOf("requests", row.request_id, query), id === undefined ? "push" : "replace")
  }
  const table = rowsTable<RequestView>(main, {
    label: words.pages.requests,
    columns: () => requestColumns(app, keyName),
    key: (row) => row.request_id,
    open,
    nearEnd: () => void more()
  })
  const pill = h("button", { type: "button", class: "pill", hidden: true, on: { click: () => showNews() } })
  const foot = h("p", { class: "more", hidden: true })
  const list = h("div", {}, chart.element, pill, h("div", { class: "bleed" }, table.element), foot)
  const drawer = makeDrawer(main, {
    close: () => close(),
    step: (by) => table.step(by)
  })
  const detail = requestDrawer(app, drawer, keyName)

  let source: RequestSource | undefined
  let asked = ""
  let unseen = 0
  let countedAt = 0
  let counting: ReturnType<typeof setTimeout> | undefined

  const drawChart = () => {
    const now = Date.now()
    const { from, to = now } = requestFilter(app.route().query, now)
    const tally = source?.tally()
    if (tally !== undefined) chart.show(tally.between(from, to), tally.widthMs)
  }
  const count = () => {
    if (source === undefined) return
    const { failed, refused, requests, usd: cost } = source.tally().total()
    head.note.textContent = source.isCounted()
      ? text.counted(number(requests), usd(cost), number(refused), number(failed))
      : source.isAll
        ? text.some(number(source.rows().length))
        : text.among(number(source.rows().length), number(source.scanned()))
  }
  const recount = () => {
    counting ??= setTimeout(() => {
      counting = undefined
      count()
      drawChart()
    }, 500)
  }
  /** Counts all matching requests, after the rows are shown. */
  const countAll = async () => {
    const mine = source
    if (mine === undefined) return
    countedAt = Date.now()
    const isKnown = await mine.count().catch(() => false)
    if (mine !== source || !isKnown) return
    count()
    drawChart()
  }
  const drawRows = (news?: ReadonlySet<string>) => {
    table.show(source?.rows() ?? [], news)
    foot.hidden = source === undefined
    if (source === undefined) return
    if (source.isDone()) foot.textContent = text.afterKill
    else
      foot.textContent = source.isAll
        ? text.shown(number(source.rows().length))
        : text.scanning(number(source.scanned()))
  }
  const showNews = () => {
    unseen = 0
    pill.hidden = true
    main.scrollTop = 0
    drawRows()
  }
  const more = async () => {
    const mine = source
    if (mine === undefined || mine.isDone()) return
    await mine.more(pageRows).catch(() => undefined)
    if (mine !== source) return
    drawRows()
    if (!mine.isCounted() || mine.isDone()) recount()
  }

  const nothing = async (source: RequestSource) => {
    const { query } = app.route()
    const filter = filterText(query, filterNames)
    const toClear = button(words.noMatch.clear, () => clearFilters(app), { look: "primary" })
    const wider = button(text.wider, () => app.go(withQuery(app.route(), { range: "7d", t: "" })))
    if (filter !== "") {
      const [before, after] = source.isDone() ? text.noMatch : text.noMatchAmong(number(source.scanned()))
      return noMatch([before, h("code", {}, filter), after], toClear, wider)
    }
    const any = requestSource(
      app,
      { ...requestFilter(new URLSearchParams("range=30d"), Date.now()), fields: [] },
      names
    )
    await any.more(1, 1)
    return any.rows().length === 0
      ? empty(app, text.emptyTitle, text.empty, firstRequest(location.origin))
      : empty(app, text.quietTitle, text.quiet, [], wider)
  }
  const loading = loader(
    app,
    words.pages.requests,
    area,
    async () => {
      const all = await app.catalogue.keys()
      names = new Map(all.map(({ id, name }) => [id, name]))
      const mine = requestSource(app, requestFilter(app.route().query, Date.now()), names)
      await mine.more(50, firstRows)
      return { mine, instead: mine.rows().length === 0 ? await nothing(mine) : undefined }
    },
    ({ instead, mine }) => {
      source = mine
      unseen = 0
      pill.hidden = true
      if (instead !== undefined) {
        head.note.textContent = text.counted("0", usd(0), "0", "0")
        fill(area, instead)
        return
      }
      list.prepend(chart.element)
      if (list.parentNode !== area) fill(area, list)
      drawRows()
      count()
      drawChart()
      void countAll()
      showOpened(app.route())
    },
    () => {
      const now = Date.now()
      const { from, to = now } = requestFilter(app.route().query, now)
      const none = emptyTally(from, to)
      chart.show(none.between(from, to), none.widthMs)
      head.note.textContent = ""
      return h("div", {}, chart.element, skeleton())
    }
  )

  const showOpened = ({ id }: Route) => {
    table.select(id)
    if (id === undefined) return detail.close()
    void detail.show(id, source?.find(id))
  }
  const close = () => {
    const { id, query } = app.route()
    app.go(hrefOf("requests", undefined, query))
    if (id !== undefined) table.focus(id)
  }
  const heard = app.live.onRequests((rows) => {
    if (!live.isOn()) return
    const mine = source
    if (mine === undefined) return
    const news = mine.put(rows)
    if (news.length === 0) return
    if (list.parentNode !== area) fill(area, list)
    if (Date.now() - countedAt > countEveryMs) void countAll()
    else recount()
    if (table.isAtTop() && app.route().id === undefined)
      return drawRows(new Set(news.map(({ request_id }) => request_id)))
    unseen += news.length
    pill.textContent = text.fresh(unseen)
    pill.hidden = false
  })

  const drawRange = ({ query }: Route) => {
    const [from, to] = (query.get("t") ?? "").split("-").map(Number)
    const isZoomed = from !== undefined && to !== undefined && to > 0
    const chosen = query.get("range")
    const select = h(
      "select",
      {
        class: isZoomed ? "select on" : "select",
        "aria-label": text.range,
        on: { change: () => select.value !== "" && app.go(withQuery(app.route(), { range: select.value, t: "" })) }
      },
      isZoomed && h("option", { value: "", selected: true }, `${clock(from, false)} – ${clock(to, false)}`),
      Object.keys(ranges).map(
        (name) =>
          isRange(name) &&
          h("option", { value: name, selected: !isZoomed && name === (chosen ?? "1h") }, text.ranges[name])
      )
    )
    fill(range, select, isZoomed && [" ", button(text.zoomOut, () => app.go(withQuery(app.route(), { t: "" })))])
  }
  const choices = async () => {
    showChoices([], [])
    const [models, accounts] = await Promise.all([
      app.catalogue.models().catch(() => []),
      app.catalogue.accounts().catch(() => [])
    ])
    showChoices(models, accounts)
  }
  const showChoices = (models: ReadonlyArray<string>, accounts: ReadonlyArray<{ readonly id: string }>) => {
    const upstreams = [
      ...new Set((source?.rows() ?? []).flatMap(({ upstream }) => (upstream === null ? [] : [upstream])))
    ].sort()
    filters.show([
      { name: "outcome", any: text.anyOutcome, values: outcomes.map((outcome) => [outcome, words.outcome[outcome]]) },
      { name: "model", any: text.anyModel, values: models },
      { name: "upstream", any: text.anyUpstream, values: upstreams },
      ...(app.session.kind === "operator"
        ? [{ name: "account", any: text.anyAccount, values: accounts.map(({ id }) => id) }]
        : [])
    ])
  }

  return {
    show(route) {
      drawRange(route)
      const query = route.query.toString()
      if (asked === query && source !== undefined) return showOpened(route)
      if (asked !== query) loading.forget()
      asked = query
      main.scrollTop = 0
      void loading.run().then(choices)
      void choices()
      if (route.id !== undefined) showOpened(route)
    },
    redraw: () => table.redraw(),
    leave: close,
    step: (by) => table.step(by),
    toggleLive: live.toggle,
    close() {
      heard()
      detail.close()
      loading.close()
      table.close()
      chart.close()
      clearTimeout(counting)
    }
  }
}
