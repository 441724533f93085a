import { signal } from "@preact/signals"
import type { ComponentChildren } from "preact"
import { useApp } from "../hooks/useApp.ts"
import { useCopy } from "../hooks/useCopy.ts"
import { duration, moment, number, span, usd, utc } from "../format.ts"
import type { Measure as Measured } from "../format.ts"
import { words } from "../words/words.ts"
import { Icon } from "./Icon.tsx"

interface Inside {
  readonly children: ComponentChildren
}

/** A number with its unit. */
export const Measure = ({ of: [value, unit] }: { readonly of: Measured }) => (
  <span class="num">
    {value}
    {unit !== "" && <span class="unit">{unit}</span>}
  </span>
)

/** A duration in ms. */
export const Took = ({ ms }: { readonly ms: number }) => <Measure of={duration(ms)} />

export const Quiet = ({ children }: Inside) => <span class="quiet">{children}</span>
export const Faint = ({ children }: Inside) => <span class="faint">{children}</span>
export const None = ({ word = words.none }: { readonly word?: string }) => <Faint>{word}</Faint>
export const Badge = ({ children }: Inside) => <span class="badge">{children}</span>

/** Dollars; zero is grey. */
export const Usd = ({ decimals, of }: { readonly of: number; readonly decimals?: number | undefined }) =>
  of === 0 ? <Faint>{usd(0, decimals)}</Faint> : <>{usd(of, decimals)}</>

/** A cost in dollars: `free` if it costs nothing, `none` if nothing has a cost. In a column of USD to the given decimals, without the sign. */
export const Cost = ({ decimals, of }: { readonly of: number | null; readonly decimals?: number }) => {
  if (of === null) return <None />
  if (of === 0) return <Faint>{words.free}</Faint>
  return <>{decimals === undefined ? usd(of) : number(of, decimals)}</>
}

/** Ages grow while they are shown. */
const now = signal(Date.now())
setInterval(() => {
  now.value = Date.now()
}, 10_000)
const today = (): number => Math.max(now.value, Date.now())

/** True for a time that is shown as one to come. */
export const isToCome = (ms: number): boolean => ms > today() + 1_000

/** An age or a clock time, as the user chose; the full time on hover. */
export const When = ({ at, suffix = "" }: { readonly at: string | number; readonly suffix?: "ago" | "" }) => {
  const app = useApp()
  const ms = typeof at === "number" ? at : Date.parse(at)
  const shown = app.clockTimes()
    ? moment(ms, today())
    : isToCome(ms)
      ? words.times.in(span(ms - today()))
      : suffix === "ago"
        ? words.times.ago(span(today() - ms))
        : span(today() - ms)
  return (
    <time datetime={new Date(ms).toISOString()} title={utc(ms)}>
      {shown}
    </time>
  )
}

/** A full id that is copied on click. */
export const Copyable = ({ shown, text }: { readonly text: string; readonly shown?: string }) => {
  const copy = useCopy()
  return (
    <button
      class="copyable"
      type="button"
      title={text}
      aria-label={words.copy.it(text)}
      onClick={(event) => {
        event.stopPropagation()
        copy(text)
      }}
    >
      {shown ?? text}
      <Icon name="copy" size={12} />
    </button>
  )
}

/** A usage bar: amber from 85 %, red when used up. */
export const Meter = ({
  isOff = false,
  label,
  most,
  used
}: {
  readonly used: number
  readonly most: number
  readonly label: string
  readonly isOff?: boolean
}) => {
  const share = most <= 0 ? 0 : Math.min(1, used / most)
  const tone = isOff ? "off" : share >= 1 ? "bad" : share >= 0.85 ? "warn" : ""
  return (
    <span class={`meter ${tone}`} role="img" aria-label={label}>
      <i style={{ width: `${(100 * share).toFixed(1)}%` }} />
    </span>
  )
}

/** Labelled values. */
export const Facts = ({ children, isBig = false }: Inside & { readonly isBig?: boolean }) => (
  <dl class={isBig ? "facts big" : "facts"}>{children}</dl>
)

export const Fact = ({
  children,
  isWide = false,
  name
}: Inside & { readonly name: string; readonly isWide?: boolean }) => (
  <div class={isWide ? "wide" : ""}>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
)

/** A section of a drawer or page. */
export const Section = ({ children, title }: Inside & { readonly title?: ComponentChildren }) => (
  <section>
    {title !== undefined && <h2>{title}</h2>}
    {children}
  </section>
)

/** A page's header: its name, a note beside it, and its actions. */
export const PageHead = ({
  children,
  note,
  title
}: {
  readonly title: ComponentChildren
  readonly note?: ComponentChildren
  readonly children?: ComponentChildren
}) => (
  <div class="bar">
    <h1>{title}</h1>
    <span class="faint head-note">{note}</span>
    <span class="grow" />
    {children}
  </div>
)
