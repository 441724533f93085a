import { stepsOfWindow } from "../../contract/budgets/Budget.ts"
import type { Budget } from "../../contract/budgets/Budget.ts"

/** A moment's place in a budget's windows, in Unix ms. */
export interface Place {
  /** The start of the step that counts requests of this moment. A calendar window has one step. */
  readonly step: number
  /** The start of the oldest step of the window. */
  readonly since: number
  /** When the step no longer counts; `never` if it always does. */
  readonly endsAt: number
  /** When the next step begins. */
  readonly next: number
}

/** Beyond every time: a step of a window without an end. */
export const never = Number.MAX_SAFE_INTEGER

const always: Place = { step: 0, since: 0, endsAt: never, next: never }

/** The place of a moment. Windows are remembered until they end: finding a zone's midnight takes microseconds. */
export const makePlaces = (window: Budget["window"]): ((nowMs: number) => Place) => {
  if ("rollingMs" in window) return (nowMs) => rolling(window.rollingMs, nowMs)
  const { per } = window
  if (per === "total") return () => always
  const { zone } = window
  let known: Place | undefined
  return (nowMs) => {
    if (known === undefined || nowMs < known.step || nowMs >= known.next) known = calendar(per, zone, nowMs)
    return known
  }
}

const rolling = (lengthMs: number, nowMs: number): Place => {
  const stepMs = Math.ceil(lengthMs / stepsOfWindow)
  const step = nowMs - (nowMs % stepMs)
  return {
    step,
    since: step - stepsOfWindow * stepMs,
    endsAt: step + (stepsOfWindow + 1) * stepMs,
    next: step + stepMs
  }
}

const calendar = (per: "day" | "week" | "month", zone: string, nowMs: number): Place => {
  const day = Temporal.Instant.fromEpochMilliseconds(nowMs).toZonedDateTimeISO(zone).toPlainDate()
  const first = per === "day" ? day : per === "week" ? day.subtract({ days: day.dayOfWeek - 1 }) : day.with({ day: 1 })
  const after = first.add(per === "day" ? { days: 1 } : per === "week" ? { weeks: 1 } : { months: 1 })
  const step = startOf(first, zone)
  const next = startOf(after, zone)
  return { step, since: step, endsAt: next, next }
}

/** A day may begin after midnight, where clocks are put forward then. */
const startOf = (day: Temporal.PlainDate, zone: string): number => day.toZonedDateTime(zone).epochMilliseconds
