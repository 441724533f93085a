/** How far this machine's clock may be off before it is corrected, in ms: what signatures tolerate is minutes. */
const tolerableMs = 120_000

/** A clock that is corrected by the answers of services that refuse its signatures. */
export const clockOf = (now: () => number) => {
  let offsetMs = 0
  return {
    now: () => now() + offsetMs,
    /** The correction of this machine's clock, in ms. */
    offsetMs: () => offsetMs,
    /**
     * Takes over the time of an answer to what was signed with an offset. True if that offset was wrong: calls at the same
     * time are all refused, and the first refusal corrects the clock.
     */
    corrects: (answer: Headers, usedOffsetMs: number): boolean => {
      const missingMs = Date.parse(answer.get("date") ?? "") - now()
      if (Math.abs(missingMs - offsetMs) >= tolerableMs) offsetMs = missingMs
      return Math.abs(offsetMs - usedOffsetMs) >= tolerableMs
    }
  }
}
