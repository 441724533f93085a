/** Time is counted in ticks, in ms, and only those that come when they are due. */
const tickMs = 20
/** A tick that comes as late as this found the process at work: it says nothing of who is waited for. */
const lateMs = 10
/** However busy this process is. */
const atMostMs = 2_000

interface Waiting {
  /** Of the ticks that counted, the one after which it is over. */
  readonly lastTick: number
  readonly until: number
  isOver: boolean
  readonly giveUp: () => void
}

/**
 * Waits for answers for so long and no longer, as time passes for whoever has to answer: what this process took for
 * itself meanwhile, in which it neither sent nor read anything, is not counted. One timer for all that wait.
 */
export class Patience {
  readonly #ticks: number
  #counted = 0
  #cameAt = 0
  #line: Array<Waiting> = []
  #timer: ReturnType<typeof setInterval> | undefined

  /** @param ms how long one answer is waited for */
  constructor(ms: number) {
    this.#ticks = Math.ceil(ms / tickMs)
  }

  /** What the promise comes to; rejects where that takes too long. */
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
    // The tick that is under way has begun before.
    const waiting = { lastTick: this.#counted + this.#ticks + 1, until: now + atMostMs, isOver: false, giveUp }
    this.#line.push(waiting)
    return waiting
  }

  #tick(): void {
    const now = performance.now()
    if (now - this.#cameAt < tickMs + lateMs) this.#counted++
    this.#cameAt = now
    const left = this.#line.filter((waiting) => {
      if (!waiting.isOver && this.#counted < waiting.lastTick && now < waiting.until) return true
      if (!waiting.isOver) waiting.giveUp()
      return false
    })
    this.#line = left
    if (left.length > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }
}
