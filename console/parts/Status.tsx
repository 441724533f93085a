import type { ComponentChildren } from "preact"

/** A status, shown by shape as well as by colour. */
export type Tone = "well" | "bad" | "warn" | "running" | "waiting" | "off"

const ring = { cx: 6, cy: 6, r: 4.2, fill: "none", stroke: "currentColor", "stroke-width": 1.5 }

const drawings: Readonly<Record<Tone, () => ComponentChildren>> = {
  well: () => <circle cx={6} cy={6} r={3.5} fill="currentColor" />,
  bad: () => <path d="M6 1 11 6 6 11 1 6Z" fill="currentColor" />,
  warn: () => <path d="M6 1.5 11 10.5H1Z" fill="currentColor" />,
  running: () => (
    <>
      <circle {...ring} />
      <path d="M6 1.8a4.2 4.2 0 0 1 0 8.4Z" fill="currentColor" />
    </>
  ),
  waiting: () => <circle {...ring} stroke-dasharray="2 1.8" />,
  off: () => (
    <>
      <circle {...ring} />
      <path d="M3.5 6h5" stroke="currentColor" stroke-width={1.5} />
    </>
  )
}

export const Shape = ({ tone }: { readonly tone: Tone }) => (
  <svg class={`shape ${tone}`} width={12} height={12} viewBox="0 0 12 12" aria-hidden="true">
    {drawings[tone]()}
  </svg>
)

/** A shape, a word, and a code if there is one. */
export const Status = ({
  children,
  code,
  tone
}: {
  readonly tone: Tone
  readonly code?: string | number | undefined
  readonly children: ComponentChildren
}) => (
  <span class={`status ${tone}`}>
    <Shape tone={tone} />
    {children}
    {code !== undefined && <span class="mono status-code">{code}</span>}
  </span>
)
