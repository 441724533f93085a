/** So many a minute are looked at. */
const most = 10
const windowMs = 60_000
/** Addresses remembered in one minute; beyond them all who are new share one place. */
const capacity = 10_000

/** Counts wrong keys, or other tries, by where they come from. */
export class Guesses {
  readonly #counts = new Map<string, number>()
  #window = -1

  /**
   * Notes one.
   *
   * @returns ms until the next one is looked at; undefined where this one is
   */
  note(from: string, nowMs: number): number | undefined {
    const window = Math.floor(nowMs / windowMs)
    if (window !== this.#window) {
      this.#window = window
      this.#counts.clear()
    }
    const place = this.#counts.size < capacity || this.#counts.has(from) ? from : "everybody else"
    const count = (this.#counts.get(place) ?? 0) + 1
    this.#counts.set(place, count)
    return count > most ? windowMs - (nowMs % windowMs) : undefined
  }
}
