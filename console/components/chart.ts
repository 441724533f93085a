import { fill, h } from "../dom.ts"
import { clock, utc } from "../format.ts"
import { words } from "../words/words.ts"
import { button, smallTable } from "./bits.ts"
import { drawPlot } from "./plot.ts"
import type { Plotted } from "./plot.ts"

/** Charts that share a cursor. */
export const chartGroup = () => {
  const members: Array<(at: number | undefined) => void> = []
  return { members, move: (at: number | undefined) => members.forEach((member) => member(at)) }
}
export type ChartGroup = ReturnType<typeof chartGroup>

/** A chart whose legend shows the values at the cursor. Arrow keys move the cursor; screen readers get a table. */
export const chart = (group: ChartGroup, title: string, note: string, first: Plotted) => {
  let plotted = first
  let drawn: ReturnType<typeof drawPlot> | undefined
  let at: number | undefined
  let isTable = false
  const side = h("span", { class: "faint" }, note)
  const legend = h("span", { class: "legends" })
  let values: ReadonlyArray<HTMLElement> = []
  const plot = h("div", {
    class: "plot",
    tabindex: 0,
    role: "img",
    on: {
      pointermove: (event) => drawn !== undefined && group.move(drawn.layout.at(event.offsetX)),
      pointerleave: () => group.move(undefined),
      blur: () => group.move(undefined),
      keydown(event) {
        const by = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0
        if (by === 0) return
        event.preventDefault()
        event.stopPropagation()
        const last = plotted.times.length - 1
        group.move(Math.max(0, Math.min(last, at === undefined ? last : at + by)))
      }
    }
  })
  const asTable = button(words.chart.asTable, () => toggle(), { look: "link small", "aria-pressed": "false" })
  const table = h("div", { class: "chart-table", tabindex: 0, hidden: true, role: "region", "aria-label": title })
  const element = h(
    "figure",
    { class: "chart" },
    h("figcaption", { class: "caption" }, h("h2", {}, title, " ", side), asTable, legend),
    plot,
    table
  )

  const draw = () => {
    if (isTable || plot.clientWidth === 0) return
    drawn = drawPlot(plotted, plot.clientWidth, plot.clientHeight)
    plot.replaceChildren(drawn.element)
    drawn.point(at)
  }
  const toggle = () => {
    isTable = !isTable
    asTable.setAttribute("aria-pressed", String(isTable))
    fill(asTable, isTable ? words.chart.asChart : words.chart.asTable)
    plot.hidden = isTable
    table.hidden = !isTable
    const { series, times } = plotted
    fill(
      table,
      isTable &&
        smallTable(
          [[words.chart.time], ...series.map(({ name }) => [name, "right"] as const)],
          times
            .map((time, at) => [utc(time).slice(0, 16), ...series.map(({ tell, values }) => tell(values[at] ?? 0))])
            .reverse()
        )
    )
    draw()
  }
  group.members.push((next) => {
    at = next
    drawn?.point(next)
    const time = next === undefined ? undefined : plotted.times[next]
    side.textContent = time === undefined ? note : clock(time, false)
    for (const [index, { tell, values: all }] of plotted.series.entries()) {
      const shown = values[index]
      if (shown !== undefined) shown.textContent = next === undefined ? "" : tell(all[next] ?? 0)
    }
  })
  const resized = new ResizeObserver(draw)
  resized.observe(plot)

  const show = (next: Plotted, nextNote = note) => {
    plotted = next
    note = nextNote
    if (at === undefined) side.textContent = note
    values = plotted.series.map(() => h("b"))
    fill(
      legend,
      plotted.series.map(({ colour, name }, index) =>
        h(
          "span",
          { class: "legend" },
          h("i", { class: plotted.kind === "lines" ? "line" : "", css: { background: `var(--${colour})` } }),
          name,
          values[index]
        )
      )
    )
    const now = plotted.series.map(({ name, tell, values }) => `${name} ${tell(values.at(-1) ?? 0)}`).join(", ")
    plot.setAttribute("aria-label", words.chart.label(title, now))
    if (isTable) {
      isTable = false
      toggle()
    }
    draw()
  }
  show(first)
  return { element, show, close: () => resized.disconnect() }
}
