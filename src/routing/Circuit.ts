/** When a circuit opens and how long it stays open. */
export interface CircuitRules {
  /** Calls are judged over this long, in ms. */
  readonly windowMs: number
  /** It takes as many calls in the window to judge an upstream at all. */
  readonly leastCalls: number
  /** The part of them that may fail. */
  readonly failureRate: number
  /** How long nobody is let through at first, and at most after probes have failed, in ms. */
  readonly openMs: number
  readonly openAtMostMs: number
}

export const usualRules: CircuitRules = {
  windowMs: 30_000,
  leastCalls: 10,
  failureRate: 0.5,
  openMs: 5_000,
  openAtMostMs: 60_000
}

/** How a call is let through: as one of many, or alone to find out whether the upstream is back. */
export type Pass = "usual" | "probe"

/** The window is kept in as many parts, so that old calls leave it bit by bit. */
const parts = 6

/**
 * Keeps calls from an upstream that fails: closed while it answers, open for a while when too many calls of late have
 * failed, then half open: one call is let through, and its outcome closes or opens it again. Times are given, in ms.
 */
export class Circuit {
  readonly #rules: CircuitRules
  readonly #calls = new Float64Array(parts)
  readonly #failures = new Float64Array(parts)
  /** The part of the window that is being written, counted since the epoch. */
  #part = 0
  #state: "closed" | "open" | "probing" = "closed"
  #openUntil = 0
  #openedInARow = 0
  #waryUntil = 0
  readonly #opened: (forMs: number) => void

  /** @param opened hears of each time it opens, and for how long, in ms */
  constructor(rules: CircuitRules, opened: (forMs: number) => void = () => {}) {
    this.#rules = rules
    this.#opened = opened
  }

  get state(): "closed" | "open" | "probing" {
    return this.#state
  }

  /** How long it is until a call may go again, in ms; 0 where one may. While one probes, as long as a circuit opens for at first. */
  waitMs(now: number): number {
    if (this.#state === "closed") return 0
    return now < this.#openUntil ? this.#openUntil - now : this.#state === "probing" ? this.#rules.openMs : 0
  }

  /** Whether a call may go: undefined where it may not. Each pass is given back with one of the three below. */
  enter(now: number): Pass | undefined {
    if (this.#state === "closed") return "usual"
    if (this.#state === "probing" || now < this.#openUntil) return undefined
    this.#state = "probing"
    return "probe"
  }

  succeeded(pass: Pass, now: number): void {
    if (pass === "probe") return this.#close()
    this.#waryUntil = 0
    this.#turn(now)
    add(this.#calls, this.#part)
  }

  /**
   * Somebody else finds the upstream failing: here too the next call that fails opens the circuit, unless one succeeds
   * before. Forgotten after as long as a circuit opens for at first.
   */
  hinted(now: number): void {
    if (this.#state === "closed") this.#waryUntil = now + this.#rules.openMs
  }

  failed(pass: Pass, now: number): void {
    if (pass === "probe") return this.#open(now)
    // Those that were on their way when it opened tell nothing new.
    if (this.#state !== "closed") return
    this.#turn(now)
    add(this.#calls, this.#part)
    this.#judge(now)
  }

  /** A call that had succeeded failed in the end. */
  brokeOff(now: number): void {
    if (this.#state !== "closed") return
    this.#turn(now)
    this.#judge(now)
  }

  #judge(now: number): void {
    add(this.#failures, this.#part)
    const calls = sum(this.#calls)
    const isFailing = calls >= this.#rules.leastCalls && sum(this.#failures) >= calls * this.#rules.failureRate
    if (isFailing || now < this.#waryUntil) this.#open(now)
  }

  /** The call was given up before its outcome was known. */
  abandoned(pass: Pass): void {
    if (pass === "probe" && this.#state === "probing") this.#state = "open"
  }

  #open(now: number): void {
    const { openAtMostMs, openMs } = this.#rules
    const forMs = Math.min(openMs * 2 ** this.#openedInARow, openAtMostMs)
    this.#openUntil = now + forMs
    this.#openedInARow++
    this.#waryUntil = 0
    this.#state = "open"
    this.#opened(forMs)
  }

  #close(): void {
    this.#state = "closed"
    this.#openedInARow = 0
    this.#calls.fill(0)
    this.#failures.fill(0)
  }

  /** Moves the window on to now. */
  #turn(now: number): void {
    const part = Math.floor((now * parts) / this.#rules.windowMs)
    if (part === this.#part) return
    for (let gone = Math.max(this.#part + 1, part - parts + 1); gone <= part; gone++) {
      this.#calls[gone % parts] = 0
      this.#failures[gone % parts] = 0
    }
    this.#part = part
  }
}

const add = (counts: Float64Array, part: number) => {
  counts[part % parts] = (counts[part % parts] ?? 0) + 1
}

const sum = (numbers: Float64Array) => numbers.reduce((total, number) => total + number, 0)
