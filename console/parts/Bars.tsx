import { useSignal } from "@preact/signals"

interface Bar {
  /** Under the bar: `2026-01-31`. */
  readonly name: string
  readonly value: number
  /** Its value in words. */
  readonly told: string
}

interface BarsProps {
  readonly label: string
  readonly bars: ReadonlyArray<Bar>
  /** Heads of the table that is read aloud. */
  readonly heads: readonly [name: string, value: string]
  /** A value of the axis. */
  readonly axis: (value: number) => string
  /** The legend while no bar is pointed at. */
  readonly total: string
}

const height = 120

/** A round value that is not below a value, with a round half. */
const niceTop = (value: number): number => {
  if (value <= 0) return 1
  const power = 10 ** Math.floor(Math.log10(value))
  return ([1, 2, 3, 4, 5, 6, 8].find((step) => step * power >= value) ?? 10) * power
}

/** Bars over time. A pointer or the arrow keys show the value of each; a table has them for readers. */
export const Bars = ({ axis, bars, heads, label, total }: BarsProps) => {
  const at = useSignal<number | undefined>(undefined)
  const top = niceTop(Math.max(0, ...bars.map(({ value }) => value)))
  const width = 100 / Math.max(1, bars.length)
  const shown = at.value === undefined ? undefined : bars[at.value]
  const move = (event: KeyboardEvent) => {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key]
    if (by === undefined) return
    event.preventDefault()
    at.value = Math.min(bars.length - 1, Math.max(0, (at.value ?? (by > 0 ? -1 : bars.length)) + by))
  }
  const point = (event: PointerEvent & { readonly currentTarget: HTMLElement }) => {
    const { left, width } = event.currentTarget.getBoundingClientRect()
    at.value = Math.min(bars.length - 1, Math.max(0, Math.floor(((event.clientX - left) / width) * bars.length)))
  }
  const leave = () => {
    at.value = undefined
  }
  return (
    <figure class="bars">
      <figcaption class="legend">
        {shown === undefined ? (
          total
        ) : (
          <>
            {shown.name} <b>{shown.told}</b>
          </>
        )}
      </figcaption>
      <div
        class="plot"
        tabIndex={0}
        role="group"
        aria-label={label}
        onKeyDown={move}
        onBlur={leave}
        onPointerMove={point}
        onPointerLeave={leave}
      >
        <svg width="100%" height={height} aria-hidden="true">
          {[1, 0.5, 0].map((share) => (
            <line
              key={share}
              class={share === 0 ? "floor" : "grid-line"}
              x1="0"
              x2="100%"
              y1={10 + (1 - share) * (height - 11)}
              y2={10 + (1 - share) * (height - 11)}
            />
          ))}
          {bars.map(({ name, value }, index) => (
            <rect
              key={name}
              class={index === at.value ? "bar on" : "bar"}
              x={`${index * width + width * 0.15}%`}
              width={`${width * 0.7}%`}
              y={10 + (1 - value / top) * (height - 11)}
              height={(value / top) * (height - 11)}
            />
          ))}
          {[1, 0.5].map((share) => (
            <text key={share} x="0" y={8 + (1 - share) * (height - 11)}>
              {axis(top * share)}
            </text>
          ))}
        </svg>
      </div>
      <div class="bars-axis" aria-hidden="true">
        <span>{bars[0]?.name}</span>
        <span>{bars.at(-1)?.name}</span>
      </div>
      <table class="sr">
        <caption>{label}</caption>
        <thead>
          <tr>
            {heads.map((head) => (
              <th key={head} scope="col">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {bars.map(({ name, told }) => (
            <tr key={name}>
              <td>{name}</td>
              <td>{told}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </figure>
  )
}
