import type { BatchRow, HeldLine } from "./store/BatchRow.ts"

/** How long a batch rests whose only line met a limit: doubled each time, in ms. */
const rest = { first: 250, most: 8_000 } as const
/** A line that ended lets a part of a further one run at a time. */
const growth = 0.25

/** `waits`: it met a limit, or was given back. `failed`: its upstream did, so that it waits too. */
export type LineOutcome = "ended" | "waits" | "failed"

/**
 * A batch's lines in this process. So many run at a time as its limits have room for: fewer after one met a limit, then
 * more, bit by bit.
 */
export class Lane {
  batch: BatchRow
  readonly #most: number
  /** Lines that this process has and that did not begin. */
  waiting: ReadonlyArray<HeldLine> = []
  /** True if lines may have been taken that no one here knows, because the answer was lost. */
  mayHaveMore = false
  #running: ReadonlyArray<HeldLine> = []
  #allowed: number
  #restMs = 0
  #restsUntilMs = 0
  /** How many lines have failed at their upstreams since one ended. */
  #failed = 0

  constructor(batch: BatchRow, most: number) {
    this.batch = batch
    this.#most = most
    this.#allowed = most
  }

  get isIdle(): boolean {
    return this.#running.length === 0 && this.waiting.length === 0
  }

  get running(): ReadonlyArray<HeldLine> {
    return this.#running
  }

  /** The lines that may begin now. */
  room(nowMs: number): number {
    return this.#restsUntilMs > nowMs ? 0 : Math.max(0, Math.floor(this.#allowed) - this.#running.length)
  }

  /** Takes a waiting line to run it. */
  next(): HeldLine | undefined {
    const [line, ...others] = this.waiting
    if (line === undefined) return undefined
    this.waiting = others
    this.#running = [...this.#running, line]
    return line
  }

  /** No line is due. */
  foundNone(nowMs: number): void {
    this.#restsUntilMs = nowMs + rest.first
  }

  over(line: HeldLine, how: LineOutcome, nowMs: number): void {
    this.#running = this.#running.filter((one) => one !== line)
    // Those of other models may do better, until all of them fail.
    if (how === "failed" && ++this.#failed < this.#most) return
    if (how === "ended") {
      this.#failed = 0
      this.#restMs = 0
      this.#allowed = Math.min(this.#most, this.#allowed + growth)
      return
    }
    this.#allowed = Math.max(1, Math.min(this.#allowed, this.#running.length))
    // Others of its lines will free what it lacks.
    if (this.#running.length > 0) return
    this.#restMs = Math.min(rest.most, Math.max(rest.first, this.#restMs * 2))
    this.#restsUntilMs = nowMs + this.#restMs
  }
}
