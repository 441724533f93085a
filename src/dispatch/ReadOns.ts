import type { Clock } from "effect"

/** The most answers that a process reads without their clients, at a time and begun in a minute. */
const most = { atOnce: 64, aMinute: 2_000 }
const minuteMs = 60_000

/** Bounds the answers that are read on after their clients left. */
export class ReadOns {
  readonly #clock: Clock.Clock
  #running = 0
  #minute = 0
  #begun = 0

  constructor(clock: Clock.Clock) {
    this.#clock = clock
  }

  /** True if one more may be read; then call `end` at its end. */
  begin(): boolean {
    const minute = Math.floor(this.#clock.unsafeCurrentTimeMillis() / minuteMs)
    if (minute !== this.#minute) this.#begun = 0
    this.#minute = minute
    if (this.#running >= most.atOnce || this.#begun >= most.aMinute) return false
    this.#running++
    this.#begun++
    return true
  }

  end(): void {
    this.#running--
  }
}
