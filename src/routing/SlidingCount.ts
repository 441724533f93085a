/** The window is divided into this many parts, so that old events expire gradually. */
const parts = 6

/** The number of events within the last `windowMs`. Times are passed in, in ms. */
export class SlidingCount {
  readonly #windowMs: number
  readonly #counts = new Float64Array(parts)
  /** The current part, counted since the epoch. */
  #part = 0

  constructor(windowMs: number) {
    this.#windowMs = windowMs
  }

  add(now: number): void {
    this.#moveTo(now)
    const at = this.#part % parts
    this.#counts[at] = (this.#counts[at] ?? 0) + 1
  }

  total(now: number): number {
    this.#moveTo(now)
    return this.#counts.reduce((total, count) => total + count, 0)
  }

  clear(): void {
    this.#counts.fill(0)
  }

  #moveTo(now: number): void {
    const part = Math.floor((now * parts) / this.#windowMs)
    if (part === this.#part) return
    for (let gone = Math.max(this.#part + 1, part - parts + 1); gone <= part; gone++) this.#counts[gone % parts] = 0
    this.#part = part
  }
}
