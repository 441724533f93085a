import { elementScroll, observeElementOffset, observeElementRect, Virtualizer } from "@tanstack/virtual-core"
import { Component } from "preact"
import type { Ref } from "preact"
import { useImperativeHandle, useLayoutEffect, useMemo, useReducer, useRef, useState } from "preact/hooks"
import { Cells, Heads } from "./Table.tsx"
import type { Column } from "./Table.tsx"

export interface RowsHandle {
  /** Scrolls a row into view and focuses it. */
  readonly focus: (id: string) => void
  /** Moves to the next or previous row from the selected or focused one, and opens it if one is open. */
  readonly step: (by: 1 | -1) => void
  readonly isAtTop: () => boolean
}

interface RowsProps<Row> {
  readonly label: string
  readonly rows: ReadonlyArray<Row>
  /** The same array as long as its cells would look the same: rows are drawn again when it changes. */
  readonly columns: ReadonlyArray<Column<Row>>
  readonly keyOf: (row: Row) => string
  readonly open: (row: Row) => void
  /** The row in the drawer. */
  readonly selected?: string | undefined
  /** Rows that have just come: tinted once. */
  readonly fresh?: ReadonlySet<string>
  /** Called when the end of the loaded rows comes near. */
  readonly nearEnd?: (() => void) | undefined
  readonly handle?: Ref<RowsHandle>
}

/** Rows drawn beyond the visible ones. */
const spare = 8
/** More rows are requested when this many are left below: about as many as a user scrolls past meanwhile. */
const ahead = 2_000

interface RowProps<Row> extends Pick<RowsProps<Row>, "columns"> {
  readonly row: Row
  readonly id: string
  readonly index: number
  readonly isSelected: boolean
  readonly isEntry: boolean
  readonly isFresh: boolean
}

/** A row, which is drawn again only if something of it has changed. */
class RowOf<Row> extends Component<RowProps<Row>> {
  override shouldComponentUpdate(next: RowProps<Row>) {
    const now = this.props
    return (
      next.row !== now.row ||
      next.columns !== now.columns ||
      next.index !== now.index ||
      next.isSelected !== now.isSelected ||
      next.isEntry !== now.isEntry ||
      next.isFresh !== now.isFresh
    )
  }
  override render({ columns, id, index, isEntry, isFresh, isSelected, row }: RowProps<Row>) {
    return (
      <tr
        data-id={id}
        class={isFresh ? "fresh" : ""}
        tabIndex={isEntry ? 0 : -1}
        aria-rowindex={index + 2}
        aria-selected={isSelected}
      >
        <Cells columns={columns} row={row} />
      </tr>
    )
  }
}

const rowHeight = () => Number.parseFloat(getComputedStyle(document.documentElement).getPropertyValue("--row")) || 32

const scrollerOf = (): HTMLElement | null => document.querySelector<HTMLElement>("#main")

const idOf = (target: EventTarget | null) =>
  target instanceof Element ? target.closest<HTMLElement>("tr[data-id]")?.dataset["id"] : undefined

const focusedId = () => idOf(document.activeElement)

/** The rows in view, by a virtualizer over `#main`. `margin` is the distance of the rows from the top of what scrolls. */
const useVirtual = (count: number, table: { readonly current: HTMLTableElement | null }) => {
  const [, draw] = useReducer((turn: number) => turn + 1, 0)
  const [place, setPlace] = useState({ margin: 0, covered: 0 })
  const options = {
    count,
    getScrollElement: scrollerOf,
    estimateSize: rowHeight,
    overscan: spare,
    scrollMargin: place.margin,
    scrollPaddingStart: place.covered,
    observeElementRect,
    observeElementOffset,
    scrollToFn: elementScroll,
    onChange: () => draw(undefined)
  }
  const first = useRef(options)
  const virtual = useMemo(() => new Virtualizer<HTMLElement, HTMLTableRowElement>(first.current), [])
  virtual.setOptions(options)
  useLayoutEffect(() => virtual._didMount(), [virtual])
  useLayoutEffect(() => {
    virtual._willUpdate()
    const [body, head, scroller] = [table.current?.tBodies[0], table.current?.tHead, scrollerOf()]
    if (body === undefined || head == null || scroller === null) return
    const top = scroller.getBoundingClientRect().top
    const margin = Math.round(body.getBoundingClientRect().top - top + scroller.scrollTop)
    const stick = Number.parseFloat(getComputedStyle(head).top) || 0
    const covered = Math.round(head.getBoundingClientRect().height + stick)
    if (margin !== place.margin || covered !== place.covered) setPlace({ margin, covered })
  })
  useLayoutEffect(() => {
    // Rows are higher where the pointer is a finger.
    const resized = () => virtual.measure()
    addEventListener("resize", resized)
    return () => removeEventListener("resize", resized)
  }, [virtual])
  return { virtual, margin: place.margin }
}

/** A list of any length: only the rows in view are in the document. It scrolls with the page. */
export const Rows = <Row,>({ columns, fresh, handle, keyOf, label, nearEnd, open, rows, selected }: RowsProps<Row>) => {
  const table = useRef<HTMLTableElement>(null)
  const { margin, virtual } = useVirtual(rows.length, table)
  const items = virtual.getVirtualItems()
  const [from, to] = [items[0]?.start ?? margin, items.at(-1)?.end ?? margin]
  const last = items.at(-1)?.index ?? 0
  useLayoutEffect(() => {
    if (nearEnd !== undefined && last > rows.length - ahead) nearEnd()
    // Asked again only when there are other rows, or others are in view.
  }, [last, rows])

  const indexOf = (id: string | undefined) => (id === undefined ? -1 : rows.findIndex((row) => keyOf(row) === id))
  const reveal = (index: number, then?: () => void) => {
    virtual.scrollToIndex(index, { align: "auto" })
    if (then !== undefined) requestAnimationFrame(then)
  }
  const focusRow = (id: string) =>
    table.current?.querySelector<HTMLElement>(`tr[data-id="${CSS.escape(id)}"]`)?.focus({ preventScroll: true })
  useImperativeHandle(handle ?? null, () => ({
    focus: (id) => {
      const index = indexOf(id)
      if (index >= 0) reveal(index, () => focusRow(id))
    },
    step: (by) => {
      const at = indexOf(selected ?? focusedId())
      const index = at < 0 ? 0 : Math.min(rows.length - 1, Math.max(0, at + by))
      const row = rows[index]
      if (row === undefined) return
      reveal(index, selected === undefined ? () => focusRow(keyOf(row)) : undefined)
      if (selected !== undefined) open(row)
    },
    isAtTop: () => (scrollerOf()?.scrollTop ?? 0) < 40
  }))
  const openAt = (target: EventTarget | null) => {
    const row = rows[indexOf(idOf(target))]
    if (row !== undefined) open(row)
  }
  const entry = selected ?? focusedId()
  const hasEntry = items.some(({ index }) => rows[index] !== undefined && keyOf(rows[index]) === entry)
  const firstVisible = items.find(({ end }) => end > (virtual.scrollOffset ?? 0) + margin)?.index ?? items[0]?.index
  return (
    <table
      ref={table}
      class="table rows sticky"
      aria-label={label}
      aria-rowcount={rows.length + 1}
      onClick={(event) => {
        if (event.target instanceof Element && event.target.closest("a, button") === null) openAt(event.target)
      }}
      onKeyDown={(event) => {
        if (event.key !== "Enter" || !(event.target instanceof HTMLTableRowElement)) return
        event.preventDefault()
        openAt(event.target)
      }}
    >
      <Heads columns={columns} />
      <tbody>
        {from > margin && <tr key="above" aria-hidden="true" class="spacer" style={{ height: `${from - margin}px` }} />}
        {items.map(({ index }) => {
          const row = rows[index]
          if (row === undefined) return null
          const id = keyOf(row)
          return (
            <RowOf
              key={id}
              row={row}
              columns={columns}
              id={id}
              index={index}
              isSelected={id === selected}
              isEntry={hasEntry ? id === entry : index === firstVisible}
              isFresh={fresh?.has(id) === true}
            />
          )
        })}
        {to < virtual.getTotalSize() + margin && (
          <tr
            key="below"
            aria-hidden="true"
            class="spacer"
            style={{ height: `${virtual.getTotalSize() + margin - to}px` }}
          />
        )}
      </tbody>
    </table>
  )
}
