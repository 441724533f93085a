/** How far this machine's clock may be off before it is corrected, in ms: what signatures tolerate is minutes. */
const tolerableMs = 120_000

/** A clock that is corrected by the answers of those who refuse its signatures. */
export const clockOf = (now: () => number) => {
  let offsetMs = 0
  return {
    now: () => now() + offsetMs,
    /** Takes over the time of an answer. True if this clock was off. */
    corrects: (answer: Headers): boolean => {
      const theirs = Date.parse(answer.get("date") ?? "")
      if (Number.isNaN(theirs) || Math.abs(theirs - now() - offsetMs) < tolerableMs) return false
      offsetMs = theirs - now()
      return true
    }
  }
}
