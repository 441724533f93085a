import { Effect } from "effect"

/** A place among the calls of an upstream that may run at a time, or in the line for one. */
export interface Slot {
  /** Whether there was room at once. */
  readonly isFree: boolean
  /** Waits until it is this one's turn. */
  readonly turn: Effect.Effect<void>
  /** Makes room for the next in line, or leaves the line; once is enough, more does nothing. */
  readonly leave: () => void
}

/** Where calls of an upstream wait for their turn. */
export interface Line {
  readonly take: () => Slot
  readonly waiting: number
  readonly running: number
}

/** So many at a time; the others wait in a line, first come, first served. */
export class Slots implements Line {
  readonly #limit: number
  #running = 0
  /** Of those who left the line an empty seat stays until it comes first. */
  readonly #line = new Set<() => void>()

  constructor(limit: number) {
    this.#limit = limit
  }

  get waiting(): number {
    return this.#line.size
  }

  get running(): number {
    return this.#running
  }

  take(): Slot {
    let hasIt = this.#running < this.#limit && this.#line.size === 0
    let isOver = false
    let tell: () => void = () => {}
    const called = () => {
      hasIt = true
      tell()
    }
    if (hasIt) this.#running++
    else this.#line.add(called)
    return {
      isFree: hasIt,
      turn: Effect.async<void>((resume) => {
        tell = () => resume(Effect.void)
        if (hasIt) tell()
      }),
      leave: () => {
        if (isOver) return
        isOver = true
        if (hasIt) this.#next()
        else this.#line.delete(called)
      }
    }
  }

  #next(): void {
    const [first] = this.#line
    if (first === undefined) {
      this.#running--
      return
    }
    this.#line.delete(first)
    first()
  }
}
