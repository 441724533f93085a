import { useMemo, useRef, useState } from "preact/hooks"
import { clock, number } from "../format.ts"
import { useSize } from "../hooks/useSize.ts"
import type { Bucket } from "../requestTally.ts"
import { words } from "../words/words.ts"
import { layOut, Plot } from "./Plot.tsx"
import type { Plotted } from "./Plot.tsx"

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

/** The buckets between a first and a last one; the bucket of the pointer or the arrow keys is the last. */
interface Picked {
  readonly cursor: number | undefined
  readonly anchor: number | undefined
  readonly isDragging: boolean
}
const nothing: Picked = { cursor: undefined, anchor: undefined, isDragging: false }

/** Numbers of requests over time, by outcome. Dragging zooms, as do arrow keys (with Shift they select) and Enter. */
export const Histogram = ({
  buckets,
  widthMs,
  zoom
}: {
  readonly buckets: ReadonlyArray<Bucket>
  readonly widthMs: number
  /** Gets the chosen range in Unix ms. */
  readonly zoom: (from: number, to: number) => void
}) => {
  const element = useRef<HTMLDivElement>(null)
  const { height, width } = useSize(element)
  const [picked, setPicked] = useState(nothing)
  // Pointer events come faster than the page is drawn.
  const now = useRef(picked)
  now.current = picked
  const pick = (next: Picked) => {
    now.current = next
    setPicked(next)
  }
  // While a range is dragged, new requests don't move what it begins at.
  const shown = useRef(buckets)
  if (!picked.isDragging) shown.current = buckets
  const plotted = useMemo(() => plottedOf(shown.current), [shown.current])
  const layout = useMemo(() => layOut(plotted, width, height), [plotted, width, height])
  const { anchor, cursor } = picked

  const rangeOf = ({ anchor, cursor }: Picked) => {
    if (cursor === undefined || anchor === undefined) return undefined
    const [from, to] = [buckets[Math.min(anchor, cursor)], buckets[Math.max(anchor, cursor)]]
    return from === undefined || to === undefined ? undefined : { from: from.time, to: to.time + widthMs }
  }
  const finish = () => {
    const range = rangeOf(now.current)
    const isRange = now.current.anchor !== now.current.cursor
    pick(nothing)
    if (range !== undefined && isRange) zoom(range.from, range.to)
  }
  const pressed = (event: KeyboardEvent) => {
    const { anchor, cursor } = now.current
    const by = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0
    if (by !== 0) {
      const before = cursor ?? buckets.length - 1
      const next = Math.max(0, Math.min(buckets.length - 1, cursor === undefined ? before : before + by))
      pick({ cursor: next, anchor: event.shiftKey ? (anchor ?? before) : undefined, isDragging: false })
    } else if (event.key === "Enter" && anchor !== undefined) finish()
    else if (event.key === "Escape" && cursor !== undefined) pick(nothing)
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  const at = cursor === undefined ? undefined : buckets[cursor]
  const range = anchor === cursor ? undefined : rangeOf(picked)
  const edge = (bucket: number) => layout.x(bucket) - layout.step / 2
  return (
    <figure class="histogram-figure">
      <figcaption class="sr">{words.histogram.caption}</figcaption>
      <div
        ref={element}
        class="plot histogram"
        tabIndex={0}
        role="img"
        aria-label={words.histogram.label}
        onPointerDown={(event) => {
          if (event.button !== 0) return
          event.currentTarget.setPointerCapture(event.pointerId)
          const bucket = layout.at(event.offsetX)
          pick({ cursor: bucket, anchor: bucket, isDragging: true })
        }}
        onPointerMove={(event) => {
          pick({ ...now.current, cursor: layout.at(event.offsetX) })
        }}
        onPointerUp={() => now.current.isDragging && finish()}
        onPointerLeave={() => !now.current.isDragging && pick(nothing)}
        onBlur={() => pick(nothing)}
        onKeyDown={pressed}
      >
        {width > 0 && <Plot plotted={plotted} layout={layout} width={width} height={height} cursor={cursor} />}
        {range !== undefined && anchor !== undefined && cursor !== undefined && (
          <div
            class="chosen"
            style={{
              left: `${edge(Math.min(anchor, cursor))}px`,
              width: `${edge(Math.max(anchor, cursor) + 1) - edge(Math.min(anchor, cursor))}px`
            }}
          />
        )}
      </div>
      <p class="histogram-said" aria-live="polite">
        {range !== undefined
          ? words.histogram.range(clock(range.from), clock(range.to))
          : at !== undefined && words.histogram.bucket(clock(at.time), at.well, at.refused, at.failed)}
      </p>
    </figure>
  )
}
