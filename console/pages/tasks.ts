import type { TaskSummary } from "../../src/admin/TaskSummary.ts"
import type { App, RenderPage } from "../app.ts"
import { button, faint, mono, none, quiet, took, when } from "../components/bits.ts"
import { makeDrawer } from "../components/drawer.ts"
import { clearFilters, filterBar, filterText } from "../components/filterBar.ts"
import { rowsTable } from "../components/rowsTable.ts"
import type { Column } from "../components/rowsTable.ts"
import { empty, loader, noMatch } from "../components/states.ts"
import { fill, h } from "../dom.ts"
import type { Child } from "../dom.ts"
import { durationText, matches, number } from "../format.ts"
import { pageHead } from "../frame.ts"
import { hrefOf } from "../router.ts"
import { firstVideo } from "../snippets.ts"
import { taskSource } from "../taskSource.ts"
import { callbackStatus, isEnded, taskStatus, tookMs } from "../taskText.ts"
import { words } from "../words/words.ts"
import { liveButton } from "./liveButton.ts"
import { taskDrawer } from "./taskDrawer.ts"

const text = words.tasks
const second = (...children: ReadonlyArray<Child>) => h("span", { class: "second" }, children)
const filterNames = ["state", "kind", "callback", "account"]

const columnsOf = (app: App, keyName: (id: string) => string): ReadonlyArray<Column<TaskSummary>> => [
  {
    head: app.clockTimes() ? text.columns.utc : text.columns.age,
    width: app.clockTimes() ? 94 : 84,
    look: "no-phone quiet",
    cell: (task) => when(app, task.created_at)
  },
  {
    head: text.columns.state,
    width: 122,
    look: "outcome",
    cell: (task) => [taskStatus(task.state), second(when(app, task.created_at, "ago"))]
  },
  { head: text.columns.model, cell: (task) => [task.model, second(task.kind)] },
  { head: text.columns.task, width: 272, look: "no-phone no-slim quiet", cell: (task) => mono(task.id) },
  { head: text.columns.kind, width: 70, look: "no-phone no-mid quiet", cell: (task) => task.kind },
  {
    head: text.columns.key,
    width: 184,
    look: "no-phone no-narrow",
    cell: (task) => [quiet(task.account), faint(" / "), keyName(task.key)]
  },
  { head: text.columns.upstream, width: 96, look: "no-phone no-mid", cell: (task) => task.upstream ?? none() },
  {
    head: text.columns.took,
    width: 92,
    look: "right last-phone",
    cell: (task) => [
      isEnded(task) ? took(tookMs(task)) : h("span", { class: "quiet" }, took(tookMs(task))),
      second(durationText(tookMs(task)).includes(":") ? "" : (task.upstream ?? ""))
    ]
  },
  {
    head: text.columns.cost,
    width: 96,
    look: "right no-phone no-narrow",
    cell: (task) =>
      task.held_usd > 0
        ? faint(text.held(number(task.held_usd, 2)))
        : task.cost_usd > 0
          ? number(task.cost_usd, 5)
          : faint(number(0, 5))
  },
  {
    head: text.columns.callbacks,
    width: 104,
    look: "no-phone",
    cell: (task) => callbackStatus(task) ?? none()
  }
]

/** The list of tasks, with a drawer for the history of one. */
export const tasks: RenderPage = (app, main) => {
  const source = taskSource(app)
  const live = liveButton(() => live.isOn() && void loading.run(true))
  const head = pageHead(words.pages.tasks, live.element)
  const filters = filterBar(app, { label: text.search, example: text.example })
  const area = h("div", { class: "page" })
  fill(main, head.element, filters.element, area)
  let names: ReadonlyMap<string, string> = new Map<string, string>()
  const keyName = (id: string) => names.get(id) ?? id
  const table = rowsTable<TaskSummary>(main, {
    label: words.pages.tasks,
    columns: () => columnsOf(app, keyName),
    key: ({ id }) => id,
    open: ({ id }) => app.go(hrefOf("tasks", id, app.route().query), app.route().id === undefined ? "push" : "replace"),
    nearEnd: () => void more()
  })
  const list = h("div", { class: "bleed" }, table.element)
  const close = () => {
    const { id, query } = app.route()
    app.go(hrefOf("tasks", undefined, query))
    if (id !== undefined) table.focus(id)
  }
  const drawer = makeDrawer(main, { close, step: (by) => table.step(by) })
  const detail = taskDrawer(app, drawer, source, keyName, () => loading.run(true))
  let rows: ReadonlyArray<TaskSummary> = []
  let next: string | null = null
  let asked: string | undefined

  const wanted = (): Readonly<Record<string, string>> => {
    const { query } = app.route()
    const filter: Record<string, string> = {}
    for (const name of filterNames) {
      const value = query.get(name)
      if (value !== null && value !== "") filter[name] = value
    }
    return filter
  }
  const fitting = () => {
    const terms = (app.route().query.get("q") ?? "").split(/\s/).filter((term) => term !== "")
    return rows.filter((task) =>
      terms.every((term) => {
        const [name, value] = [term.slice(0, term.indexOf(":")), term.slice(term.indexOf(":") + 1)]
        const of: Readonly<Record<string, string | null>> = {
          model: task.model,
          state: task.state,
          upstream: task.upstream,
          account: task.account,
          id: task.id
        }
        if (name in of) return matches(value, of[name] ?? "")
        return [task.id, task.model, task.account, keyName(task.key), task.upstream_id ?? ""].some((part) =>
          part.includes(term)
        )
      })
    )
  }
  const draw = () => {
    const count = (state: string) => number(rows.filter((task) => task.state === state).length)
    head.note.textContent = text.counted(count("running"), count("queued"))
    const shown = fitting()
    if (shown.length > 0) {
      if (list.parentNode !== area) fill(area, list)
      table.show(shown)
    } else {
      const filter = filterText(app.route().query, filterNames)
      fill(
        area,
        filter === ""
          ? empty(app, text.emptyTitle, text.empty, firstVideo(location.origin))
          : noMatch(
              [text.noMatch(filter)[0], h("code", {}, filter), text.noMatch(filter)[2]],
              button(words.noMatch.clear, () => clearFilters(app), { look: "primary" })
            )
      )
    }
    showOpened()
  }
  const showOpened = () => {
    const { id } = app.route()
    table.select(id)
    if (id === undefined) detail.close()
    else
      void detail.show(
        id,
        rows.find((task) => task.id === id)
      )
  }
  const more = async () => {
    if (next === null) return
    const page = await source.list(wanted(), next).catch(() => undefined)
    if (page === undefined) return
    const known = new Set(rows.map(({ id }) => id))
    rows = [...rows, ...page.data.filter(({ id }) => !known.has(id))]
    next = page.next
    draw()
  }
  const loading = loader(
    app,
    words.pages.tasks,
    area,
    async () => {
      const [keys, page] = await Promise.all([app.catalogue.keys(), source.list(wanted())])
      return { keys, page }
    },
    ({ keys, page }) => {
      names = new Map(keys.map(({ id, name }) => [id, name]))
      rows = page.data
      next = page.next
      draw()
    }
  )
  const showFilters = (accounts: ReadonlyArray<{ readonly id: string }>) =>
    filters.show([
      { name: "state", any: text.anyState, values: Object.keys(text.states) },
      { name: "kind", any: text.anyKind, values: Object.keys(text.kinds) },
      { name: "callback", any: text.anyCallback, values: Object.entries(text.callbacks) },
      ...(app.session.kind === "operator"
        ? [{ name: "account", any: text.anyAccount, values: accounts.map(({ id }) => id) }]
        : [])
    ])
  let waiting: ReturnType<typeof setTimeout> | undefined
  const heard = app.live.onChange(({ ids, what }) => {
    const { id } = app.route()
    const isOpened = id !== undefined && ids.includes(id)
    if ((what !== "task" && what !== "delivery") || (!live.isOn() && !isOpened)) return
    waiting ??= setTimeout(() => {
      waiting = undefined
      void loading.run(true)
    }, 400)
  })
  // Updates the ages of running tasks.
  const ticking = setInterval(() => rows.some((task) => !isEnded(task)) && table.redraw(), 5_000)

  return {
    show({ query }) {
      showFilters([])
      void app.catalogue
        .accounts()
        .then(showFilters)
        .catch(() => undefined)
      if (asked === query.toString()) return showOpened()
      asked = query.toString()
      loading.forget()
      void loading.run()
    },
    redraw: () => table.redraw(),
    leave: close,
    step: (by) => table.step(by),
    toggleLive: live.toggle,
    close() {
      heard()
      clearTimeout(waiting)
      clearInterval(ticking)
      detail.close()
      loading.close()
      table.close()
    }
  }
}
