import { clearDeadline, setDeadline } from "../../flow/deadlines.ts"
import type { HasDeadline } from "../../flow/deadlines.ts"

/** The longest wait for a connection, in ms, and the most that may wait. */
const patience = 5_000
const mostWaiting = 10_000

interface Waiting {
  readonly begin: () => void
  readonly refuse: () => void
  readonly until: number
  left: boolean
}

/** Hands out connections in order. Unlike the driver's own queue, this one has bounds and refuses after a time. */
export class Turns implements HasDeadline {
  deadlinePlace = -1
  #free: number
  #line: Array<Waiting> = []
  /** Entries in the queue that have left it. */
  #left = 0

  constructor(connections: number) {
    this.#free = connections
  }

  /**
   * Begins at once, or when a connection is given back; refuses if the wait is too long or the queue too full.
   *
   * @returns leaves the queue; has no effect once begun
   */
  take(begin: () => void, refuse: () => void): () => void {
    if (this.#free > 0) {
      this.#free--
      begin()
      return nothing
    }
    if (this.#line.length - this.#left >= mostWaiting) {
      refuse()
      return nothing
    }
    const one: Waiting = { begin, refuse, until: performance.now() + patience, left: false }
    if (this.#line.push(one) === 1) setDeadline(this, patience)
    return () => {
      if (one.left) return
      one.left = true
      this.#left++
    }
  }

  give(): void {
    const next = this.#next()
    if (next === undefined) this.#free++
    else next.begin()
  }

  look(now: number): number {
    while ((this.#line[0]?.until ?? Infinity) <= now) this.#first()?.refuse()
    if (this.#line[0] !== undefined) return this.#line[0].until
    clearDeadline(this)
    return Infinity
  }

  #next(): Waiting | undefined {
    while (this.#line.length > 0) {
      const one = this.#first()
      if (one !== undefined) return one
    }
    return undefined
  }

  /** Removes the first entry; undefined if it had left already. */
  #first(): Waiting | undefined {
    const one = this.#line.shift()
    if (one === undefined) return undefined
    if (this.#line.length === 0) clearDeadline(this)
    if (one.left) {
      this.#left--
      return undefined
    }
    one.left = true
    return one
  }
}

const nothing = () => {}
