import { outcomeOf } from "../src/requests/outcome.ts"
import type { RequestView } from "../src/requests/RequestView.ts"
import type { Call } from "./parts/Waterfall.tsx"

/**
 * Calls on one time line. Older rows have no start times: their calls follow one another, and the remaining time is
 * shown as pauses between failed tries, otherwise as the wait for the first byte of the answered call.
 */
export const callsOf = (request: RequestView): ReadonlyArray<Call> => {
  const { attempts, duration_ms: end, first_byte_ms: first } = request
  const outcome = outcomeOf(request)
  const sum = attempts.reduce((total, { duration_ms }) => total + duration_ms, 0)
  const isAnswered = attempts.at(-1)?.error === null
  const pause = isAnswered || attempts.length < 2 ? 0 : Math.max(0, end - sum) / (attempts.length - 1)
  let at = 0
  return attempts.map((attempt, index) => {
    const from = Math.min(attempt.offset_ms ?? at, end)
    const isLast = index === attempts.length - 1
    const began =
      isLast && isAnswered ? Math.max(from, Math.min(first, end)) : Math.min(from + attempt.duration_ms, end)
    at = began + pause
    const failed = attempt.error !== null || (attempt.status !== null && attempt.status >= 400)
    const isCut = isLast && !failed && outcome === "cut"
    const why = [attempt.status, attempt.error].filter((part) => part !== null).join(" ")
    return {
      upstream: attempt.upstream,
      from,
      sent: Math.min(from + attempt.queue_ms, began),
      began,
      to: failed ? began : isLast ? end : began,
      failure: failed ? why : isCut ? (request.error ?? "") : undefined,
      isCut
    }
  })
}
