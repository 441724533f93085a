/** Something of which only so many may run at a time. */
export interface Bound {
  readonly key: string
  readonly most: number
}

/** Counts what is running. All the permits of a request are taken at once, or none. */
export class Permits {
  private readonly running = new Map<string, number>()

  /** The bound that is reached already; undefined where the permits were taken. */
  take<B extends Bound>(bounds: ReadonlyArray<B>): B | undefined {
    const full = bounds.find(({ key, most }) => (this.running.get(key) ?? 0) >= most)
    if (full !== undefined) return full
    for (const { key } of bounds) this.running.set(key, (this.running.get(key) ?? 0) + 1)
    return undefined
  }

  runningOf(key: string): number {
    return this.running.get(key) ?? 0
  }

  /** Those under which something runs. */
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
