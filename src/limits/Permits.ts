/** A concurrency limit. */
export interface Bound {
  readonly key: string
  readonly most: number
}

/** Counts running requests. A request takes all its permits or none. */
export class Permits {
  private readonly running = new Map<string, number>()

  /** Takes the permits; returns the exhausted bound instead if there is one. */
  take<B extends Bound>(bounds: ReadonlyArray<B>): B | undefined {
    const full = bounds.find(({ key, most }) => (this.running.get(key) ?? 0) >= most)
    if (full !== undefined) return full
    for (const { key } of bounds) this.running.set(key, (this.running.get(key) ?? 0) + 1)
    return undefined
  }

  runningOf(key: string): number {
    return this.running.get(key) ?? 0
  }

  /** Keys with running requests. */
  keys(): ReadonlyArray<string> {
    return [...this.running.keys()]
  }

  giveBack(bounds: ReadonlyArray<Bound>): void {
    for (const { key } of bounds) {
      const left = (this.running.get(key) ?? 0) - 1
      if (left > 0) this.running.set(key, left)
      else this.running.delete(key)
    }
  }
}
