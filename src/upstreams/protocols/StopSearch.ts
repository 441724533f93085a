/** A state of the search: how much of which stop sequences the text ends with. 0 is none. */
export type State = number

/**
 * Searches streamed text for several texts (Aho and Corasick). Each character takes a bounded number of steps, whatever
 * the texts are; construction is linear in their length.
 */
export class StopSearch {
  /** The characters that lead to the states, grouped by state and sorted. */
  readonly #units: Uint16Array
  /** The index of each state's first transition. */
  readonly #next: Uint32Array
  /** The failure link: the state of the longest other prefix that the text ends with. */
  readonly #failures: Uint32Array
  readonly #depths: Uint32Array
  /** The text that ends at a state, counted from 1. */
  readonly #ends: Uint32Array
  readonly #texts: ReadonlyArray<string>

  constructor(stops: Iterable<string>) {
    const texts = [...new Set(stops)].filter((stop) => stop !== "").sort()
    const most = texts.reduce((sum, text) => sum + text.length, 1)
    this.#texts = texts
    this.#units = new Uint16Array(most)
    this.#next = new Uint32Array(most + 1)
    this.#failures = new Uint32Array(most)
    this.#depths = new Uint32Array(most)
    this.#ends = new Uint32Array(most)
    // For each state, the first of the sorted texts that begins with it.
    const froms = new Uint32Array(most)
    const tos = new Uint32Array(most)
    tos[0] = texts.length
    let made = 1
    for (let place = 0; place < made; place++) {
      const depth = this.depthOf(place)
      const failure = this.#failures[place] ?? 0
      let at = froms[place] ?? 0
      const to = tos[place] ?? 0
      this.#next[place] = made
      if (texts[at]?.length === depth) this.#ends[place] = ++at
      else this.#ends[place] = this.#ends[failure] ?? 0
      while (at < to) {
        const unit = texts[at]?.charCodeAt(depth) ?? 0
        froms[made] = at
        while (at < to && texts[at]?.charCodeAt(depth) === unit) at++
        tos[made] = at
        this.#units[made] = unit
        this.#depths[made] = depth + 1
        this.#failures[made] = place === 0 ? 0 : this.step(failure, unit)
        made++
      }
    }
    this.#next[made] = made
  }

  /** The state after one more UTF-16 unit. */
  step(place: State, unit: number): State {
    for (let at = place; ; at = this.#failures[at] ?? 0) {
      const next = this.#reached(at, unit)
      if (next !== 0 || at === 0) return next
    }
  }

  /** The longest text that ends here. */
  endsAt(place: State): string | undefined {
    const end = this.#ends[place] ?? 0
    return end === 0 ? undefined : this.#texts[end - 1]
  }

  /** How many of the last characters may begin a text. */
  depthOf(place: State): number {
    return this.#depths[place] ?? 0
  }

  /** The state that a character leads to, 0 if none. */
  #reached(place: State, unit: number): State {
    let low = this.#next[place] ?? 0
    const end = this.#next[place + 1] ?? low
    let high = end
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.#units[middle] ?? 0) < unit) low = middle + 1
      else high = middle
    }
    return low < end && this.#units[low] === unit ? low : 0
  }
}
