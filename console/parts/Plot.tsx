import { Fragment } from "preact"
import { useMemo } from "preact/hooks"
import { clock } from "../format.ts"

export interface Series {
  readonly name: string
  /** A colour token: `s1`, `bad-fill`. */
  readonly colour: string
  /** NaN if there is none: a line has a gap there. */
  readonly values: ReadonlyArray<number>
  readonly tell: (value: number) => string
  /** An edge above each bar. */
  readonly cap?: string
}

export interface Plotted {
  /** The start of each bucket, in Unix ms. */
  readonly times: ReadonlyArray<number>
  readonly series: ReadonlyArray<Series>
  readonly kind: "bars" | "lines"
  /** The label of a grid line. */
  readonly axis: (value: number, step: number) => string
  readonly left?: number
  /** True for integers: no grid lines between them. */
  readonly isCount?: boolean
  readonly ticks?: number
}

const niceMost = (most: number): number => {
  const power = 10 ** Math.floor(Math.log10(most))
  return ([1, 1.5, 2, 3, 4, 5, 6, 8, 10].find((factor) => factor * power >= most) ?? 10) * power
}

const dayMs = 86_400_000
const hourMs = 3_600_000
const everyMs = [
  60_000,
  300_000,
  600_000,
  1_800_000,
  ...[1, 3, 6, 12].map((hours) => hours * hourMs),
  ...[1, 2, 7, 14].map((days) => days * dayMs)
]

const bottom = 18
const over = 8

/** The layout of a chart of this width. */
export const layOut = ({ kind, left = 52, series, times }: Plotted, width: number, height: number) => {
  const plain = height - bottom - over
  const step = (width - left) / Math.max(1, times.length)
  const sums =
    kind === "lines"
      ? series.flatMap(({ values }) => values.filter((value) => !Number.isNaN(value)))
      : times.map((_, at) => series.reduce((sum, { values }) => sum + (values[at] ?? 0), 0))
  const largest = Math.max(...sums, 0)
  const most = largest > 0 ? niceMost(largest) : 1
  return {
    most,
    step,
    left,
    floor: height - bottom,
    x: (at: number) => left + (at + 0.5) * step,
    y: (value: number) => over + plain - (value / most) * plain,
    at: (x: number) => Math.max(0, Math.min(times.length - 1, Math.floor((x - left) / step)))
  }
}
type Layout = ReturnType<typeof layOut>

const grid = ({ axis, isCount, ticks }: Plotted, { left, most, y }: Layout, width: number) => {
  const lead = most / 10 ** Math.floor(Math.log10(most))
  const lines =
    isCount === true && most <= 4
      ? Math.ceil(most)
      : (ticks ?? (lead === 3 || lead === 1.5 || lead === 6 ? 3 : lead === 5 || lead === 1 ? 5 : 4))
  return Array.from({ length: lines + 1 }, (_, index) => {
    const value = (most * index) / lines
    return (
      <Fragment key={index}>
        <path d={`M${left} ${Math.round(y(value)) + 0.5}H${width}`} class={index === 0 ? "floor" : "grid-line"} />
        <text x={left - 8} y={y(value) + 3.5} text-anchor="end">
          {axis(value, most / lines)}
        </text>
      </Fragment>
    )
  })
}

const days = new Intl.DateTimeFormat("en-US", { month: "short", day: "numeric", timeZone: "UTC" })

/** Clock times, some 60 px apart, and the day at each midnight. */
const hours = ({ times }: Plotted, { left, step, x }: Layout, width: number, height: number) => {
  const [first, second] = times
  if (first === undefined || second === undefined) return []
  const bucketMs = second - first
  const every = everyMs.find((ms) => (ms / bucketMs) * step >= 60) ?? 30 * dayMs
  return times.flatMap((time, at) => {
    const mark = Math.ceil(time / every) * every
    const edge = x(at) - step / 2 + ((mark - time) / bucketMs) * step
    if (mark >= time + bucketMs || edge < left || edge > width - 16) return []
    return [
      <text key={mark} x={edge} y={height - 4} text-anchor="middle">
        {mark % dayMs === 0 ? days.format(mark) : clock(mark, false)}
      </text>
    ]
  })
}

const bars = ({ series, times }: Plotted, { step, x, y }: Layout) => {
  const base = Array.from(times, () => 0)
  const width = Math.max(1, step - (step > 5 ? 1.5 : step > 3 ? 1 : 0.4))
  return series.map(({ cap, colour, name, values }) => {
    const areas: Array<string> = []
    const edges: Array<string> = []
    for (const [at, value] of values.entries()) {
      if (value <= 0) continue
      const from = base[at] ?? 0
      base[at] = from + value
      const low = y(from)
      const high = Math.min(y(from + value), low - (cap === undefined ? 1.5 : 0))
      const start = (x(at) - width / 2).toFixed(1)
      areas.push(`M${start} ${low.toFixed(1)}V${high.toFixed(1)}h${width.toFixed(1)}V${low.toFixed(1)}Z`)
      edges.push(`M${start} ${(high + 0.75).toFixed(1)}h${width.toFixed(1)}`)
    }
    return (
      <Fragment key={name}>
        <path d={areas.join("")} style={{ fill: `var(--${colour})` }} />
        {cap !== undefined && <path d={edges.join("")} style={{ stroke: `var(--${cap})`, strokeWidth: "1.5" }} />}
      </Fragment>
    )
  })
}

/** Stretches of consecutive values, as half-open index ranges. */
const stretches = (values: ReadonlyArray<number>): ReadonlyArray<readonly [from: number, to: number]> => {
  const found: Array<readonly [number, number]> = []
  let from = 0
  for (let at = 0; at <= values.length; at++) {
    if (at < values.length && !Number.isNaN(values[at])) continue
    if (at > from) found.push([from, at])
    from = at + 1
  }
  return found
}

const lines = ({ series }: Plotted, { x, y }: Layout) => {
  const points = (values: ReadonlyArray<number>, from: number, to: number) =>
    values.slice(from, to).map((value, index) => `${x(from + index).toFixed(1)} ${y(value).toFixed(1)}`)
  const [low, high] = series
  const between =
    low === undefined || high === undefined
      ? []
      : stretches(high.values).map(([from, to]) => (
          <path
            key={`between ${from}`}
            d={`M${points(high.values, from, to).join("L")}L${points(low.values, from, to).reverse().join("L")}Z`}
            style={{ fill: `var(--${high.colour})`, opacity: "0.13" }}
          />
        ))
  return [
    ...between,
    ...series.toReversed().map(({ colour, name, values }) => {
      const all = stretches(values)
      const drawn = (d: string, width: number) => (
        <path
          d={d}
          style={{ stroke: `var(--${colour})`, fill: "none", strokeWidth: String(width), strokeLinecap: "round" }}
        />
      )
      // A single value is drawn as a point: a line of zero length.
      const alone = all.filter(([from, to]) => to - from === 1).map(([from]) => points(values, from, from + 1))
      return (
        <Fragment key={name}>
          {drawn(all.map(([from, to]) => `M${points(values, from, to).join("L")}`).join(""), 1.5)}
          {drawn(alone.map((point) => `M${point.join("")}h0`).join(""), 5)}
        </Fragment>
      )
    })
  ]
}

/** A chart as SVG. */
export const Plot = ({
  cursor,
  height,
  layout,
  plotted,
  width
}: {
  readonly plotted: Plotted
  readonly layout: Layout
  readonly width: number
  readonly height: number
  /** The index that is pointed at. */
  readonly cursor: number | undefined
}) => {
  // The cursor moves faster than the rest is worth drawing.
  const drawn = useMemo(
    () => (
      <>
        {grid(plotted, layout, width)}
        {hours(plotted, layout, width, height)}
        {plotted.kind === "bars" ? bars(plotted, layout) : lines(plotted, layout)}
      </>
    ),
    [plotted, layout, width, height]
  )
  return (
    <svg width={width} height={height} aria-hidden="true">
      {drawn}
      <path class="cursor" d={cursor === undefined ? "" : `M${Math.round(layout.x(cursor)) + 0.5} 0V${layout.floor}`} />
    </svg>
  )
}
