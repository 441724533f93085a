/** Tries per minute that are checked. */
const most = 10
const windowMs = 60_000
/** Addresses counted per minute; further ones share a counter. */
const capacity = 10_000

/** Counts wrong keys and similar tries by client address. */
export class Guesses {
  readonly #counts = new Map<string, number>()
  #window = -1

  /**
   * Counts a try.
   *
   * @returns ms until the next try is checked; undefined if this one is
   */
  note(from: string, nowMs: number): number | undefined {
    const window = Math.floor(nowMs / windowMs)
    if (window !== this.#window) {
      this.#window = window
      this.#counts.clear()
    }
    const place = this.#counts.size < capacity || this.#counts.has(from) ? from : "others"
    const count = (this.#counts.get(place) ?? 0) + 1
    this.#counts.set(place, count)
    return count > most ? windowMs - (nowMs % windowMs) : undefined
  }
}
