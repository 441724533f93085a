import { useSignal } from "@preact/signals"
import type { Signal } from "@preact/signals"
import { useMemo, useRef } from "preact/hooks"
import { clock, utc } from "../format.ts"
import { useSize } from "../hooks/useSize.ts"
import { words } from "../words/words.ts"
import { Button } from "./Button.tsx"
import { layOut, Plot } from "./Plot.tsx"
import type { Plotted } from "./Plot.tsx"
import { SmallTable } from "./Table.tsx"

interface ChartProps {
  readonly title: string
  readonly note?: string
  readonly plotted: Plotted
  /** The index that the pointer is at; charts that share it point at the same time. */
  readonly cursor: Signal<number | undefined>
}

/** The drawing, as wide as its place. */
const Drawing = ({ cursor, plotted, title }: Omit<ChartProps, "note">) => {
  const element = useRef<HTMLDivElement>(null)
  const { height, width } = useSize(element)
  const layout = useMemo(() => layOut(plotted, width, height), [plotted, width, height])
  const { series, times } = plotted
  const now = series.map(({ name, tell, values }) => `${name} ${tell(values.at(-1) ?? 0)}`).join(", ")
  return (
    <div
      ref={element}
      class="plot"
      tabIndex={0}
      role="img"
      aria-label={words.chart.label(title, now)}
      onPointerMove={(event) => (cursor.value = layout.at(event.offsetX))}
      onPointerLeave={() => (cursor.value = undefined)}
      onBlur={() => (cursor.value = undefined)}
      onKeyDown={(event) => {
        const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
        if (by === undefined) return
        event.preventDefault()
        event.stopPropagation()
        const last = times.length - 1
        cursor.value = Math.max(0, Math.min(last, cursor.value === undefined ? last : cursor.value + by))
      }}
    >
      {width > 0 && <Plot plotted={plotted} layout={layout} width={width} height={height} cursor={cursor.value} />}
    </div>
  )
}

/** A chart whose legend shows the values at the cursor. Arrow keys move the cursor; screen readers get a table. */
export const Chart = ({ cursor, note = "", plotted, title }: ChartProps) => {
  const isTable = useSignal(false)
  const { kind, series, times } = plotted
  const at = cursor.value
  const time = at === undefined ? undefined : times[at]
  return (
    <figure class="chart">
      <figcaption class="caption">
        <h2>
          {title} <span class="faint">{time === undefined ? note : clock(time, false)}</span>
        </h2>
        <Button look="link small" isPressed={isTable.value} onClick={() => (isTable.value = !isTable.value)}>
          {isTable.value ? words.chart.asChart : words.chart.asTable}
        </Button>
        <span class="legends">
          {series.map(({ colour, name, tell, values }) => (
            <span key={name} class="legend">
              <i class={kind === "lines" ? "line" : ""} style={{ background: `var(--${colour})` }} />
              {name}
              <b>{at === undefined ? "" : tell(values[at] ?? 0)}</b>
            </span>
          ))}
        </span>
      </figcaption>
      {isTable.value ? (
        <div class="chart-table" tabIndex={0} role="region" aria-label={title}>
          <SmallTable
            heads={[[words.chart.time], ...series.map(({ name }) => [name, "right"] as const)]}
            rows={times
              .map((time, at) => [utc(time).slice(0, 16), ...series.map(({ tell, values }) => tell(values[at] ?? 0))])
              .toReversed()}
          />
        </div>
      ) : (
        <Drawing cursor={cursor} plotted={plotted} title={title} />
      )}
    </figure>
  )
}
