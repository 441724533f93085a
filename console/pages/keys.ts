import type { KeyRecord } from "../../src/admin/KeyRecord.ts"
import type { App, RenderPage } from "../app.ts"
import { badge, button, faint, meter, mono, none, when } from "../components/bits.ts"
import { makeDrawer } from "../components/drawer.ts"
import { clearFilters, filterBar, filterText } from "../components/filterBar.ts"
import { rowsTable } from "../components/rowsTable.ts"
import type { Column } from "../components/rowsTable.ts"
import { empty, loader, noMatch } from "../components/states.ts"
import { status } from "../components/status.ts"
import { fill, h } from "../dom.ts"
import type { Child } from "../dom.ts"
import { dollars, number, usd, usdShort } from "../format.ts"
import { pageHead } from "../frame.ts"
import { budgetText, limitsText } from "../keyText.ts"
import { hrefOf } from "../router.ts"
import { words } from "../words/words.ts"
import { keyDialogs } from "./keyDialogs.ts"
import { keyDrawer } from "./keyDrawer.ts"

const text = words.keys
const second = (...children: ReadonlyArray<Child>) => h("span", { class: "second" }, children)

const budgetMeter = (key: KeyRecord): HTMLElement | undefined => {
  if (key.budget === null) return undefined
  const [spent, limit] = [dollars(key.budget.spent), dollars(key.budget.limit)]
  return meter(spent, limit, text.budgetLabel(usd(spent), usdShort(limit), key.budget.period), key.status !== "active")
}

const budgetWords = (key: KeyRecord): Child =>
  key.budget === null
    ? key.budgets.length === 0
      ? none()
      : key.budgets.map(budgetText).join("; ")
    : [usd(dollars(key.budget.spent)), faint(" ", text.of(usdShort(dollars(key.budget.limit)), key.budget.period))]

const columnsOf = (app: App): ReadonlyArray<Column<KeyRecord>> => [
  {
    head: text.columns.name,
    cell: (key) => [
      h("span", { class: key.status === "active" ? "" : "quiet" }, key.name),
      key.declared && [" ", badge(text.declared)],
      second(key.account)
    ]
  },
  {
    head: text.columns.status,
    width: 96,
    cell: (key) => status(key.status === "active" ? "well" : "off", text.status[key.status])
  },
  { head: text.columns.account, width: 112, look: "no-phone no-slim quiet", cell: (key) => key.account },
  {
    head: text.columns.secret,
    width: 84,
    look: "no-phone no-mid quiet",
    cell: (key) => (key.hint === "" ? faint(text.ownSecret) : mono(`gw_…${key.hint}`))
  },
  {
    head: text.columns.models,
    width: 136,
    look: "no-phone no-narrow quiet",
    cell: (key) => h("code", { title: key.models.join(", ") }, key.models.join(" "))
  },
  {
    head: text.columns.limits,
    width: 156,
    look: "no-phone no-narrow quiet",
    cell: (key) => limitsText(key.limits) ?? none()
  },
  {
    head: text.columns.budget,
    width: 240,
    look: "no-phone",
    cell: (key) =>
      key.budgets.length === 0
        ? none()
        : h("span", { class: "budget num" }, budgetMeter(key), h("span", {}, budgetWords(key)))
  },
  {
    head: text.columns.used,
    width: 92,
    look: "no-phone no-mid quiet",
    cell: (key) => (key.last_used_at === null ? none(words.never) : when(app, key.last_used_at, "ago"))
  },
  {
    head: text.columns.expires,
    width: 92,
    look: "right budget-phone",
    cell: (key) => [
      key.expires_at === null ? faint(words.never) : when(app, key.expires_at, "ago"),
      second(budgetWords(key), budgetMeter(key) ?? "")
    ]
  }
]

/** The list of keys: create, change, rotate and revoke them. */
export const keys: RenderPage = (app, main) => {
  const dialogs = keyDialogs(app, () => refresh())
  const create = button([words.keys.create, h("kbd", { "aria-hidden": "true" }, "c")], () => void dialogs.create(), {
    look: "primary"
  })
  const head = pageHead(words.pages.keys, create)
  const filters = filterBar(app, { label: text.search, example: text.example })
  const area = h("div", { class: "page" })
  fill(main, head.element, filters.element, area)
  const table = rowsTable<KeyRecord>(main, {
    label: words.pages.keys,
    columns: () => columnsOf(app),
    key: ({ id }) => id,
    open: ({ id }) => app.go(hrefOf("keys", id, app.route().query), app.route().id === undefined ? "push" : "replace")
  })
  const list = h("div", { class: "bleed" }, table.element)
  const close = () => {
    const { id, query } = app.route()
    app.go(hrefOf("keys", undefined, query))
    if (id !== undefined) table.focus(id)
  }
  const drawer = makeDrawer(main, { close, step: (by) => table.step(by) })
  const detail = keyDrawer(app, drawer, dialogs)
  let all: ReadonlyArray<KeyRecord> = []

  const shown = () => {
    const { query } = app.route()
    const word = (query.get("q") ?? "").toLowerCase()
    const [account, state] = [query.get("account"), query.get("status")]
    return all.filter(
      (key) =>
        (account === null || key.account === account) &&
        (state === null || key.status === state) &&
        [key.id, key.name, key.account, key.hint].some((part) => part.toLowerCase().includes(word))
    )
  }
  const showFilters = () =>
    filters.show([
      { name: "account", any: text.anyAccount, values: [...new Set(all.map(({ account }) => account))].sort() },
      { name: "status", any: text.anyStatus, values: ["active", "expired", "revoked"] }
    ])
  showFilters()
  const draw = () => {
    head.note.textContent = text.active(number(all.filter(({ status }) => status === "active").length))
    showFilters()
    const rows = shown()
    if (rows.length > 0) {
      if (list.parentNode !== area) fill(area, list)
      table.show(rows)
    } else if (all.length > 0) {
      const filter = filterText(app.route().query, ["account", "status"])
      const [before, after] = [text.noMatch(filter)[0], text.noMatch(filter)[2]]
      fill(
        area,
        noMatch(
          [before, h("code", {}, filter), after],
          button(words.noMatch.clear, () => clearFilters(app), { look: "primary" })
        )
      )
    } else
      fill(
        area,
        empty(app, text.emptyTitle, text.empty, [["", 'gateway keys create ci --account team-a --model "claude-*"']])
      )
    const { id } = app.route()
    table.select(id)
    if (id === undefined) detail.close()
    else void detail.show(id, all)
  }
  const loading = loader(
    app,
    words.pages.keys,
    area,
    () => app.catalogue.keys(),
    (loaded) => {
      all = loaded
      draw()
    }
  )
  const refresh = async () => {
    app.catalogue.forget("keys")
    await loading.run(true)
  }
  const heard = app.live.onChange(({ what }) => {
    if (what === "key" || what === "account" || what === "configuration") void refresh()
  })
  app.catalogue.forget("keys")
  void loading.run()

  return {
    show(route) {
      if (all.length > 0) draw()
      if (route.query.get("new") !== null) {
        app.go(hrefOf("keys"), "replace")
        void dialogs.create(undefined, route.query.get("account") ?? undefined)
      }
    },
    redraw: () => table.redraw(),
    leave: close,
    step: (by) => table.step(by),
    create: () => void dialogs.create(),
    close() {
      heard()
      detail.close()
      loading.close()
      table.close()
    }
  }
}
