import { h } from "../dom.ts"
import { clock, number } from "../format.ts"
import { words } from "../words/words.ts"
import { drawPlot } from "./plot.ts"
import type { Plotted } from "./plot.ts"

export interface Bucket {
  readonly time: number
  readonly well: number
  readonly refused: number
  readonly failed: number
}

const plottedOf = (buckets: ReadonlyArray<Bucket>): Plotted => ({
  kind: "bars",
  times: buckets.map(({ time }) => time),
  left: 34,
  ticks: 2,
  isCount: true,
  axis: (value) => number(value, value % 1 === 0 ? 0 : 1),
  series: [
    {
      name: words.histogram.well,
      colour: "bar",
      cap: "bar-cap",
      values: buckets.map(({ well }) => well),
      tell: number
    },
    { name: words.histogram.refused, colour: "warn-fill", values: buckets.map(({ refused }) => refused), tell: number },
    { name: words.histogram.failed, colour: "bad-fill", values: buckets.map(({ failed }) => failed), tell: number }
  ]
})

/**
 * Numbers of requests over time, by outcome. Dragging zooms, as do arrow keys (with Shift they select) and Enter.
 *
 * @param zoom gets the chosen range in Unix ms
 */
export const histogram = (zoom: (from: number, to: number) => void) => {
  let buckets: ReadonlyArray<Bucket> = []
  let widthMs = 0
  let drawn: ReturnType<typeof drawPlot> | undefined
  let cursor: number | undefined
  let anchor: number | undefined
  let isDragging = false
  const chosen = h("div", { class: "chosen", hidden: true })
  const said = h("p", { class: "histogram-said", "aria-live": "polite" })

  const range = () => {
    if (cursor === undefined || anchor === undefined) return undefined
    const [from, to] = [buckets[Math.min(anchor, cursor)], buckets[Math.max(anchor, cursor)]]
    return from === undefined || to === undefined ? undefined : { from: from.time, to: to.time + widthMs }
  }
  const tell = () => {
    const at = cursor === undefined ? undefined : buckets[cursor]
    const picked = range()
    drawn?.point(cursor)
    if (
      drawn !== undefined &&
      picked !== undefined &&
      cursor !== undefined &&
      anchor !== undefined &&
      anchor !== cursor
    ) {
      const { layout } = drawn
      const left = layout.x(Math.min(anchor, cursor)) - layout.step / 2
      chosen.style.left = `${left}px`
      chosen.style.width = `${layout.x(Math.max(anchor, cursor)) + layout.step / 2 - left}px`
      chosen.hidden = false
    } else chosen.hidden = true
    said.textContent =
      at === undefined
        ? ""
        : anchor !== undefined && anchor !== cursor && picked !== undefined
          ? words.histogram.range(clock(picked.from), clock(picked.to))
          : words.histogram.bucket(clock(at.time), at.well, at.refused, at.failed)
  }
  const clear = () => {
    cursor = undefined
    anchor = undefined
    isDragging = false
    tell()
  }
  const finish = () => {
    const picked = range()
    const isRange = anchor !== cursor
    clear()
    if (picked !== undefined && isRange) zoom(picked.from, picked.to)
  }
  const plot = h("div", {
    class: "plot histogram",
    tabindex: 0,
    role: "img",
    "aria-label": words.histogram.label,
    on: {
      pointerdown(event) {
        if (drawn === undefined || event.button !== 0) return
        plot.setPointerCapture(event.pointerId)
        isDragging = true
        anchor = drawn.layout.at(event.offsetX)
        cursor = anchor
      },
      pointermove(event) {
        if (drawn === undefined) return
        cursor = drawn.layout.at(event.offsetX)
        tell()
      },
      pointerup: () => isDragging && finish(),
      pointerleave: () => !isDragging && clear(),
      blur: clear,
      keydown(event) {
        const by = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0
        if (by !== 0) {
          const before = cursor ?? buckets.length - 1
          if (event.shiftKey) anchor ??= before
          else anchor = undefined
          cursor = Math.max(0, Math.min(buckets.length - 1, cursor === undefined ? before : before + by))
          tell()
        } else if (event.key === "Enter" && anchor !== undefined) finish()
        else if (event.key === "Escape" && cursor !== undefined) clear()
        else return
        event.preventDefault()
        event.stopPropagation()
      }
    }
  })
  const draw = () => {
    if (plot.clientWidth === 0) return
    drawn = drawPlot(plottedOf(buckets), plot.clientWidth, plot.clientHeight)
    plot.replaceChildren(drawn.element, chosen)
    tell()
  }
  const resized = new ResizeObserver(draw)
  resized.observe(plot)
  return {
    element: h(
      "figure",
      { class: "histogram-figure" },
      h("figcaption", { class: "sr" }, words.histogram.caption),
      plot,
      said
    ),
    show(next: ReadonlyArray<Bucket>, bucketMs: number) {
      buckets = next
      widthMs = bucketMs
      if (!isDragging) draw()
    },
    close: () => resized.disconnect()
  }
}
