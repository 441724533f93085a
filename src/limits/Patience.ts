/** The unit of counted time, in ms. */
const tickMs = 20
/** A tick this late, in ms, does not count: the process itself was busy. */
const lateMs = 10
/** The longest wait even in a busy process. */
const atMostMs = 2_000

interface Waiting {
  /** Number of the counted tick at which the wait times out. */
  readonly lastTick: number
  readonly until: number
  isOver: boolean
  readonly giveUp: () => void
}

/**
 * Times out answers. Time in which this process was busy, and could neither send nor read, does not count. One timer
 * serves all waits.
 */
export class Patience {
  readonly #ticks: number
  #counted = 0
  #cameAt = 0
  #waiting: Array<Waiting> = []
  #timer: ReturnType<typeof setInterval> | undefined

  /** @param ms timeout of an answer */
  constructor(ms: number) {
    this.#ticks = Math.ceil(ms / tickMs)
  }

  /** Settles like the promise; rejects after the timeout. */
  wait<A>(promise: Promise<A>): Promise<A> {
    return new Promise((resolve, reject) => {
      const waiting = this.#enter(() => reject(new Error("timed out")))
      promise.then(
        (value) => {
          waiting.isOver = true
          resolve(value)
        },
        (cause: unknown) => {
          waiting.isOver = true
          reject(cause)
        }
      )
    })
  }

  #enter(giveUp: () => void): Waiting {
    const now = performance.now()
    if (this.#timer === undefined) {
      this.#cameAt = now
      this.#timer = setInterval(() => this.#tick(), tickMs)
    }
    // One more, because the current tick is partly over.
    const waiting = { lastTick: this.#counted + this.#ticks + 1, until: now + atMostMs, isOver: false, giveUp }
    this.#waiting.push(waiting)
    return waiting
  }

  #tick(): void {
    const now = performance.now()
    if (now - this.#cameAt < tickMs + lateMs) this.#counted++
    this.#cameAt = now
    const left = this.#waiting.filter((waiting) => {
      if (!waiting.isOver && this.#counted < waiting.lastTick && now < waiting.until) return true
      if (!waiting.isOver) waiting.giveUp()
      return false
    })
    this.#waiting = left
    if (left.length > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }
}
