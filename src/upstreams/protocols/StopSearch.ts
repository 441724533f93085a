/** Where a search is: how much of which stop sequences the text ends with. 0 is nothing of any. */
export type Place = number

/**
 * Looks for texts in one that comes in pieces. Each character takes the same few steps, however many texts there are and
 * whatever they are (Aho and Corasick), and making it takes as many steps as they have characters.
 */
export class StopSearch {
  /** The characters that lead to the places; those reachable from one stand together, in order. */
  readonly #units: Uint16Array
  /** Where the places begin that are reachable from one. */
  readonly #next: Uint32Array
  /** Where a search goes on that can't go on at a place: at the longest other beginning that the text ends with. */
  readonly #otherwise: Uint32Array
  readonly #depths: Uint32Array
  /** Which text ends at a place, counted from 1. */
  readonly #ends: Uint32Array
  readonly #texts: ReadonlyArray<string>

  constructor(stops: Iterable<string>) {
    const texts = [...new Set(stops)].filter((stop) => stop !== "").sort()
    const most = texts.reduce((sum, text) => sum + text.length, 1)
    this.#texts = texts
    this.#units = new Uint16Array(most)
    this.#next = new Uint32Array(most + 1)
    this.#otherwise = new Uint32Array(most)
    this.#depths = new Uint32Array(most)
    this.#ends = new Uint32Array(most)
    // Of each place, those of the sorted texts that begin with it.
    const froms = new Uint32Array(most)
    const tos = new Uint32Array(most)
    tos[0] = texts.length
    let made = 1
    for (let place = 0; place < made; place++) {
      const depth = this.depthOf(place)
      const otherwise = this.#otherwise[place] ?? 0
      let at = froms[place] ?? 0
      const to = tos[place] ?? 0
      this.#next[place] = made
      if (texts[at]?.length === depth) this.#ends[place] = ++at
      else this.#ends[place] = this.#ends[otherwise] ?? 0
      while (at < to) {
        const unit = texts[at]?.charCodeAt(depth) ?? 0
        froms[made] = at
        while (at < to && texts[at]?.charCodeAt(depth) === unit) at++
        tos[made] = at
        this.#units[made] = unit
        this.#depths[made] = depth + 1
        this.#otherwise[made] = place === 0 ? 0 : this.step(otherwise, unit)
        made++
      }
    }
    this.#next[made] = made
  }

  /** The next place, of the text with one more UTF-16 unit. */
  step(place: Place, unit: number): Place {
    for (let at = place; ; at = this.#otherwise[at] ?? 0) {
      const found = this.#reached(at, unit)
      if (found !== 0 || at === 0) return found
    }
  }

  /** The longest of the texts that ends here. */
  endsAt(place: Place): string | undefined {
    const end = this.#ends[place] ?? 0
    return end === 0 ? undefined : this.#texts[end - 1]
  }

  /** How many of the last characters may be the beginning of one. */
  depthOf(place: Place): number {
    return this.#depths[place] ?? 0
  }

  /** The place that a character leads to; 0 where it leads to none. */
  #reached(place: Place, unit: number): Place {
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
