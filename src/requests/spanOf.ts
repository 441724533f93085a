import { Effect } from "effect"
import { InvalidRequest } from "../contract/failures/Failure.ts"
import { readTime } from "../contract/timeQuery.ts"

interface Span {
  readonly fromMs: number
  /** Exclusive. */
  readonly toMs: number
}

/** The span that a query asks for, by default the last 24 hours. It ends now at the latest. */
export const spanOf = (
  { from = "24h", to }: { readonly from?: string | undefined; readonly to?: string | undefined },
  nowMs: number
): Effect.Effect<Span, InvalidRequest> => {
  const fromMs = readTime(from, nowMs) ?? nowMs
  const untilMs = to === undefined ? nowMs : (readTime(to, nowMs, true) ?? nowMs)
  // The last millisecond of a day or a month belongs to it.
  const toMs = Math.min(isPeriod(to) ? untilMs + 1 : untilMs, nowMs)
  return fromMs < toMs
    ? Effect.succeed({ fromMs, toMs })
    : Effect.fail(new InvalidRequest({ param: "from", message: "from: expected a time before `to`, and before now" }))
}

const isPeriod = (text = ""): boolean => /^(today|yesterday|this-month|\d{4}-\d\d-\d\d)$/.test(text)
