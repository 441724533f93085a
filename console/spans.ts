/** Names of time spans, in the order of their buttons. Days and months are the viewer's own. */
export const spanNames = ["1h", "today", "yesterday", "24h", "7d", "30d", "month"] as const
export type SpanName = (typeof spanNames)[number]

/** A time span that a page shows. */
export interface Span {
  /** Undefined: one of its own, between two moments. */
  readonly name: SpanName | undefined
  readonly from: number
  /** Exclusive. */
  readonly to: number
}

const hourMs = 3_600_000
const rolling = { "1h": hourMs, "24h": 24 * hourMs, "7d": 168 * hourMs, "30d": 720 * hourMs } as const

const isName = (text: string | null): text is SpanName => spanNames.some((name) => name === text)

/** The span of an address: `range=7d`, or `t=from-to` in Unix ms as on Requests. By default the last 24 hours. */
export const spanOf = (query: URLSearchParams, now: number): Span => {
  const [from, to] = (query.get("t") ?? "").split("-").map(Number)
  if (from !== undefined && to !== undefined && from > 0 && to > from) return { name: undefined, from, to }
  const asked = query.get("range")
  const name = isName(asked) ? asked : "24h"
  const day = new Date(now)
  day.setHours(0, 0, 0, 0)
  switch (name) {
    case "today":
      return { name, from: day.getTime(), to: now }
    case "yesterday": {
      const end = day.getTime()
      day.setDate(day.getDate() - 1)
      return { name, from: day.getTime(), to: end }
    }
    case "month":
      day.setDate(1)
      return { name, from: day.getTime(), to: now }
    default:
      return { name, from: now - rolling[name], to: now }
  }
}

/** The span for an address of Requests, which knows rolling ranges and moments. */
export const requestsIn = ({ from, name, to }: Span): Readonly<Record<string, string>> =>
  name !== undefined && name in rolling ? { range: name } : { t: `${from}-${to}` }
