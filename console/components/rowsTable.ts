import { h } from "../dom.ts"
import type { Child } from "../dom.ts"

export interface Column<Row> {
  readonly head: Child
  /** In pixels; without it the column takes the remaining width. */
  readonly width?: number
  /** `right`, `no-phone`, `no-narrow`, `quiet`, … for header and cells. */
  readonly look?: string
  readonly cell: (row: Row) => Child
}

interface Options<Row> {
  readonly label: string
  readonly columns: () => ReadonlyArray<Column<Row>>
  readonly key: (row: Row) => string
  readonly open: (row: Row) => void
  /** Called when the end of the rows comes into view. */
  readonly nearEnd?: () => void
}

/** A row in the document, reused while it stays in view. */
interface Made<Row> {
  readonly row: Row
  readonly element: HTMLTableRowElement
}

/**
 * Rows drawn beyond the visible ones, above and below; the second number applies when all rows change, because each
 * costs time.
 */
const [spare, leastSpare] = [8, 2]
/** More rows are requested when this many are left below: about as many as a user scrolls past meanwhile. */
const ahead = 2_000

/** A virtual list of any length: only visible rows are in the document. `scroller` is the scrolling element. */
export const rowsTable = <Row>(scroller: HTMLElement, { columns, key, label, nearEnd, open }: Options<Row>) => {
  let rows: ReadonlyArray<Row> = []
  let selected: string | undefined
  let fresh: ReadonlySet<string> = new Set<string>()
  let drawn: { from: number; to: number } | undefined
  let made = new Map<string, Made<Row>>()
  let current = columns()
  let asked = 0

  const head = h("thead")
  const above = h("tr", { "aria-hidden": "true", class: "spacer" })
  const below = h("tr", { "aria-hidden": "true", class: "spacer" })
  const body = h("tbody")
  const element = h("table", { class: "table rows sticky", "aria-label": label }, head, body)

  let height = 0
  const measure = () => {
    height = Number.parseFloat(getComputedStyle(document.documentElement).getPropertyValue("--row")) || 32
  }

  const drawHead = () => {
    head.replaceChildren(
      h(
        "tr",
        {},
        current.map(({ head, look = "", width }) =>
          h("th", { scope: "col", class: look, ...(width === undefined ? {} : { css: { width: `${width}px` } }) }, head)
        )
      )
    )
  }

  const rowOf = (row: Row, id: string): HTMLTableRowElement => {
    const known = made.get(id)
    if (known?.row === row) return known.element
    return h(
      "tr",
      { "data-id": id, class: fresh.has(id) ? "fresh" : "", tabindex: -1 },
      current.map(({ cell, look = "" }) => h("td", { class: look }, cell(row)))
    )
  }

  /** Updates a row's position. Unchanged attributes are not written, because each write restyles the row. */
  const mark = (tr: HTMLTableRowElement, index: number, isSelected: boolean, isEntry: boolean) => {
    const [place, selection] = [String(index + 2), String(isSelected)]
    if (tr.getAttribute("aria-rowindex") !== place) tr.setAttribute("aria-rowindex", place)
    if (tr.getAttribute("aria-selected") !== selection) tr.setAttribute("aria-selected", selection)
    if (tr.tabIndex !== (isEntry ? 0 : -1)) tr.tabIndex = isEntry ? 0 : -1
  }

  /** Makes the body contain these rows without touching the ones that stay. */
  const place = (wanted: ReadonlyArray<HTMLTableRowElement>) => {
    const kept = new Set<Element>(wanted)
    if (!wanted.some(({ dataset, parentNode }) => parentNode === body && dataset["id"] !== undefined)) {
      body.replaceChildren(...wanted)
      return
    }
    const gone = Array.from(body.children).filter((child) => !kept.has(child))
    for (const child of gone) child.remove()
    let at = body.firstElementChild
    for (const element of wanted) {
      if (element === at) at = at.nextElementSibling
      else body.insertBefore(element, at)
    }
  }

  const draw = (isForced: boolean) => {
    if (height === 0) measure()
    const top = body.getBoundingClientRect().top - scroller.getBoundingClientRect().top
    const first = Math.max(0, Math.floor(-top / height))
    const visible = Math.ceil(scroller.clientHeight / height) + 1
    const isCovered =
      drawn !== undefined &&
      drawn.from <= Math.max(0, first - leastSpare) &&
      drawn.to >= Math.min(rows.length, first + visible + leastSpare)
    if (nearEnd !== undefined && first + visible > rows.length - ahead && asked !== rows.length) {
      asked = rows.length
      nearEnd()
    }
    if (isCovered && !isForced) return
    const isElsewhere = drawn === undefined || drawn.from > first + visible || drawn.to < first
    const more = isElsewhere ? leastSpare : spare
    const from = Math.max(0, first - more)
    const to = Math.min(rows.length, first + visible + more)
    const focused = document.activeElement instanceof HTMLElement ? document.activeElement.dataset["id"] : undefined
    const next = new Map<string, Made<Row>>()
    const ids: Array<string> = []
    for (const row of rows.slice(from, to)) {
      const id = key(row)
      ids.push(id)
      next.set(id, { row, element: rowOf(row, id) })
    }
    made = next
    const shown = [...next.values()].map(({ element }) => element)
    const entry = Math.max(
      0,
      ids.findIndex((id) => id === (selected ?? focused)),
      next.has(selected ?? focused ?? "") ? 0 : first - from
    )
    for (const [index, tr] of shown.entries()) mark(tr, from + index, ids[index] === selected, index === entry)
    above.style.height = `${from * height}px`
    below.style.height = `${(rows.length - to) * height}px`
    place([...(from > 0 ? [above] : []), ...shown, ...(to < rows.length ? [below] : [])])
    drawn = { from, to }
    const was = focused === undefined ? undefined : next.get(focused)?.element
    if (was !== undefined && was !== document.activeElement) was.focus({ preventScroll: true })
  }

  let frame = 0
  const onScroll = () => {
    cancelAnimationFrame(frame)
    frame = requestAnimationFrame(() => draw(false))
  }
  scroller.addEventListener("scroll", onScroll, { passive: true })
  const resized = new ResizeObserver(() => {
    measure()
    draw(true)
  })
  resized.observe(scroller)

  const idOf = (target: EventTarget | null) =>
    target instanceof Element ? target.closest<HTMLElement>("tr[data-id]")?.dataset["id"] : undefined
  const openId = (id: string | undefined) => {
    const row = id === undefined ? undefined : rows.find((row) => key(row) === id)
    if (row !== undefined) open(row)
  }
  body.addEventListener("click", (event) => {
    if (event.target instanceof Element && event.target.closest("a, button") !== null) return
    openId(idOf(event.target))
  })
  body.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !(event.target instanceof HTMLTableRowElement)) return
    event.preventDefault()
    openId(idOf(event.target))
  })

  const reveal = (index: number) => {
    const top = body.getBoundingClientRect().top - scroller.getBoundingClientRect().top + scroller.scrollTop
    const at = top + index * height
    const covered = head.getBoundingClientRect().bottom - scroller.getBoundingClientRect().top
    if (at < scroller.scrollTop + covered) scroller.scrollTop = at - covered
    else if (at + height > scroller.scrollTop + scroller.clientHeight)
      scroller.scrollTop = at + height - scroller.clientHeight
    draw(true)
  }

  drawHead()
  return {
    element,
    /** Shows other rows, or the same ones in another order. */
    show(next: ReadonlyArray<Row>, news: ReadonlySet<string> = new Set<string>()) {
      rows = next
      fresh = news
      if (asked > rows.length) asked = 0
      element.setAttribute("aria-rowcount", String(rows.length + 1))
      draw(true)
    },
    select(id: string | undefined) {
      selected = id
      draw(true)
    },
    /** Draws everything again. */
    redraw() {
      made = new Map()
      current = columns()
      drawHead()
      draw(true)
    },
    focus(id: string) {
      const index = rows.findIndex((row) => key(row) === id)
      if (index < 0) return
      reveal(index)
      made.get(id)?.element.focus({ preventScroll: true })
    },
    /** Moves to the next or previous row from the selected or focused one, and opens it if one is open. */
    step(by: 1 | -1) {
      const focused = document.activeElement instanceof HTMLElement ? document.activeElement.dataset["id"] : undefined
      const at = rows.findIndex((row) => key(row) === (selected ?? focused))
      const row = rows[at < 0 ? 0 : Math.min(rows.length - 1, Math.max(0, at + by))]
      if (row === undefined) return
      reveal(rows.indexOf(row))
      if (selected === undefined) made.get(key(row))?.element.focus({ preventScroll: true })
      else open(row)
    },
    isAtTop: () => scroller.scrollTop < 40,
    close() {
      scroller.removeEventListener("scroll", onScroll)
      resized.disconnect()
      cancelAnimationFrame(frame)
    }
  }
}
