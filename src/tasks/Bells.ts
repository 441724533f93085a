import { makeWake } from "./Wake.ts"

/** Wakes the engine's daemons. Each sleeps until the next known due time. */
export const makeBells = () => {
  const due = makeWake()
  const deadlines = makeWake()
  let nextDeadlineMs = 0
  return {
    /** A task may be due now. */
    due,
    /** A deadline may be earlier than known. */
    deadlines,
    /** A task with this deadline is stored. */
    deadlineAt: (atMs: number | null): void => {
      if (atMs !== null && atMs < nextDeadlineMs) deadlines.ring()
    },
    /** The deadline that the daemon sleeps until; infinite while it is checking, so that any other wakes it. */
    sleepsUntil: (atMs: number): void => {
      nextDeadlineMs = atMs
    }
  } as const
}
