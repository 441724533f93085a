/** From so many rows a commit on so many come that the next ones are waited for longer: half of what a row costs is its commit. */
const many = 4

/**
 * Before its end the next commit that somebody waits for begins only where nobody could join it: a busy gateway spends a
 * tenth of its time on commits at most, a very busy one less, and an idle one keeps nobody waiting.
 */
export class CommitPause {
  readonly #longest: number
  #end = 0

  /** @param longest in ms */
  constructor(longest: number) {
    this.#longest = longest
  }

  /** In ms; 0 or less where it is over. */
  get left(): number {
    return this.#end - performance.now()
  }

  /** Begins it after a commit of so many rows that took so long. */
  after(tookMs: number, rows: number): void {
    this.#end = performance.now() + Math.min(this.#longest, (rows < many ? 9 : 30) * tookMs)
  }
}
