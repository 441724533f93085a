/** From this many rows per commit the pause is longer: the commit is half of each row's cost. */
const many = 4

/**
 * The pause after a commit, in which an awaited row waits while other rows may join its commit. Commits then take at
 * most a tenth of a busy gateway's time. An idle gateway does not wait.
 */
export class CommitPause {
  readonly #longest: number
  #end = 0

  /** @param longest in ms */
  constructor(longest: number) {
    this.#longest = longest
  }

  /** In ms; 0 or less when it is over. */
  get left(): number {
    return this.#end - performance.now()
  }

  /** Begins the pause after a commit of this many rows that took this long. */
  after(tookMs: number, rows: number): void {
    this.#end = performance.now() + Math.min(this.#longest, (rows < many ? 9 : 30) * tookMs)
  }
}
