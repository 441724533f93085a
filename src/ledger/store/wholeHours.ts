const hourMs = 3_600_000

interface Span {
  readonly fromMs: number
  /** Exclusive. */
  readonly toMs: number
}

/** The whole UTC hours of a span; `fromMs` is not before `toMs` if there are none. */
export const wholeHours = ({ fromMs, toMs }: Span): Span => ({
  fromMs: Math.ceil(fromMs / hourMs) * hourMs,
  toMs: Math.floor(toMs / hourMs) * hourMs
})
