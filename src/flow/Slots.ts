import { Effect } from "effect"
import type { Clock } from "effect"
import { NamedSlots } from "./NamedSlots.ts"

/** How long places are shared between accounts after calls of two accounts followed each other. */
const sharedForMs = 3_600_000

/** A running call, or one that waits for a place. */
export interface Slot {
  /** True if a place was free at once. */
  readonly isFree: boolean
  /** Waits for the place. */
  readonly turn: Effect.Effect<void>
  /** Returns the place, or leaves the queue. May be called more than once. */
  readonly leave: () => void
}

/** The queue of an upstream's calls. */
export interface Line {
  readonly take: (account: string) => Slot
  readonly waiting: number
  readonly running: number
}

/** An account's running calls and its queue. */
interface Share {
  running: number
  first: Seat | undefined
  last: Seat | undefined
}

/** An entry in an account's queue. */
interface Seat {
  readonly share: Share
  /** Increases with each entry. */
  readonly number: number
  readonly called: () => void
  before: Seat | undefined
  after: Seat | undefined
}

/**
 * Limits concurrent calls. While several accounts call, no account holds more than seven eighths of the places, and a
 * free place goes to the account with the fewest. Calls of one account are served in order. The queue is a linked list,
 * because a `Set` keeps deleted entries alive until a full collection.
 */
export class Slots implements Line {
  readonly #limit: number
  readonly #ownLimit: number
  readonly #clock: Clock.Clock
  readonly #shares = new NamedSlots<Share>()
  #running = 0
  #waiting = 0
  #seats = 0
  #lastAccount: string | undefined
  #sharedUntil = 0

  constructor(limit: number, clock: Clock.Clock) {
    this.#limit = limit
    this.#ownLimit = Math.max(1, limit - Math.ceil(limit / 8))
    this.#clock = clock
  }

  get waiting(): number {
    return this.#waiting
  }

  get running(): number {
    return this.#running
  }

  take(account: string): Slot {
    this.#noteCaller(account)
    const share = this.#shareOf(account)
    let hasIt = share.first === undefined && this.#hasRoomFor(share)
    let isOver = false
    let tell: () => void = () => {}
    const called = () => {
      hasIt = true
      tell()
    }
    let seat: Seat | undefined
    if (hasIt) this.#give(share)
    else seat = this.#sit(share, called)
    return {
      isFree: hasIt,
      turn: Effect.async<void>((resume) => {
        tell = () => resume(Effect.void)
        if (hasIt) tell()
      }),
      leave: () => {
        if (isOver) return
        isOver = true
        if (hasIt) this.#takeBack(share)
        else if (seat !== undefined) this.#rise(seat)
        if (share.running === 0 && share.first === undefined) this.#shares.delete(account)
      }
    }
  }

  #noteCaller(account: string): void {
    if (account === this.#lastAccount) return
    if (this.#lastAccount !== undefined) this.#sharedUntil = this.#clock.unsafeCurrentTimeMillis() + sharedForMs
    this.#lastAccount = account
  }

  #shareOf(account: string): Share {
    let share = this.#shares.get(account)
    if (share === undefined) {
      share = { running: 0, first: undefined, last: undefined }
      this.#shares.set(account, share)
    }
    return share
  }

  #hasRoomFor({ running }: Share): boolean {
    if (this.#running >= this.#limit) return false
    return running < this.#ownLimit || this.#clock.unsafeCurrentTimeMillis() >= this.#sharedUntil
  }

  #give(share: Share): void {
    this.#running++
    share.running++
  }

  #takeBack(share: Share): void {
    this.#running--
    share.running--
    for (let seat = this.#next(); seat !== undefined; seat = this.#next()) {
      this.#rise(seat)
      this.#give(seat.share)
      seat.called()
    }
  }

  /** The next call of the account with the fewest places; among equals, the one that has waited longest. */
  #next(): Seat | undefined {
    if (this.#waiting === 0 || this.#running >= this.#limit) return undefined
    let next: Seat | undefined
    for (const share of this.#shares.values()) {
      const { first, running } = share
      if (first === undefined || !this.#hasRoomFor(share)) continue
      if (next === undefined || (running - next.share.running || first.number - next.number) < 0) next = first
    }
    return next
  }

  #sit(share: Share, called: () => void): Seat {
    const seat: Seat = { share, number: this.#seats++, called, before: share.last, after: undefined }
    if (share.last === undefined) share.first = seat
    else share.last.after = seat
    share.last = seat
    this.#waiting++
    return seat
  }

  #rise(seat: Seat): void {
    const { share } = seat
    if (seat.before === undefined) share.first = seat.after
    else seat.before.after = seat.after
    if (seat.after === undefined) share.last = seat.before
    else seat.after.before = seat.before
    // Otherwise entries that have left would keep each other alive.
    seat.before = undefined
    seat.after = undefined
    this.#waiting--
  }
}
