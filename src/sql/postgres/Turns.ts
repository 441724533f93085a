import { clearDeadline, setDeadline } from "../../flow/deadlines.ts"
import type { HasDeadline } from "../../flow/deadlines.ts"

/** How long one waits for a connection, in ms, and how many may wait. */
const patience = 5_000
const mostWaiting = 10_000

interface Waiting {
  readonly begin: () => void
  readonly refuse: () => void
  readonly until: number
  left: boolean
}

/** Connections are taken in turn. The driver's own line has no end: whoever waits for long is told so here. */
export class Turns implements HasDeadline {
  deadlinePlace = -1
  #free: number
  #line: Array<Waiting> = []
  /** Those in the line who have left it. */
  #left = 0

  constructor(connections: number) {
    this.#free = connections
  }

  /**
   * Begins at once, or when a connection is given back; refuses what would wait for too long, or behind too many.
   * @returns leaves the line; changes nothing once it has begun
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

  /** Takes whoever stands first out of the line; undefined where that one has left it before. */
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
