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

/** A seat in the line. */
interface Seat {
  readonly called: () => void
  before: Seat | undefined
  after: Seat | undefined
}

/**
 * So many at a time; the others wait in a line, first come, first served. Each knows who is next to it: a `Set` that lives
 * long would keep alive, until a full collection, who has left it.
 */
export class Slots implements Line {
  readonly #limit: number
  #running = 0
  #waiting = 0
  #first: Seat | undefined
  #last: Seat | undefined

  constructor(limit: number) {
    this.#limit = limit
  }

  get waiting(): number {
    return this.#waiting
  }

  get running(): number {
    return this.#running
  }

  take(): Slot {
    let hasIt = this.#running < this.#limit && this.#waiting === 0
    let isOver = false
    let tell: () => void = () => {}
    const called = () => {
      hasIt = true
      tell()
    }
    let seat: Seat | undefined
    if (hasIt) this.#running++
    else seat = this.#sit(called)
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
        else if (seat !== undefined) this.#rise(seat)
      }
    }
  }

  #next(): void {
    const first = this.#first
    if (first === undefined) {
      this.#running--
      return
    }
    this.#rise(first)
    first.called()
  }

  #sit(called: () => void): Seat {
    const seat: Seat = { called, before: this.#last, after: undefined }
    if (this.#last === undefined) this.#first = seat
    else this.#last.after = seat
    this.#last = seat
    this.#waiting++
    return seat
  }

  #rise(seat: Seat): void {
    if (seat.before === undefined) this.#first = seat.after
    else seat.before.after = seat.after
    if (seat.after === undefined) this.#last = seat.before
    else seat.after.before = seat.before
    // Neighbours that are gone would hold each other.
    seat.before = undefined
    seat.after = undefined
    this.#waiting--
  }
}
