import { longTurn, ownTurn } from "../flow/eventLoop.ts"
import type { Batch, Generation } from "../generation/Generation.ts"
import type { GenerationEvent } from "../generation/GenerationEvent.ts"
import type { Directive } from "./directive.ts"
import type { Performance } from "./perform.ts"

/** The most events in one turn of the event loop. */
const batchSize = 64
/** A longer answer yields to requests that wait. */
const longFrom = 1_024

const turnAfter = (given: number): Promise<void> => (given < longFrom ? ownTurn() : longTurn())

/**
 * Turns a performance into a generation. Without delay and pace, a short one is complete at once and sets no timer.
 * With a pace, each beat emits a word; a late timer catches up.
 */
export const play = (performance: Performance, directive: Directive): Generation =>
  directive.delayMs === 0 && directive.paceMs === 0 && directive.stall === undefined
    ? new AtOnce(performance)
    : new InTime(new Reel(performance), directive)

class AtOnce implements Generation {
  readonly #performance: Performance
  #given = 0
  #isOver = false

  constructor(performance: Performance) {
    this.#performance = performance
  }

  next(): Batch | undefined | Promise<Batch | undefined> {
    if (this.#isOver) return undefined
    return this.#given === 0 ? this.#batch() : turnAfter(this.#given).then(() => this.#batch())
  }

  cancel(): void {
    this.#isOver = true
  }

  #batch(): Batch | undefined {
    const batch: Array<GenerationEvent> = []
    while (!this.#isOver && batch.length < batchSize) {
      const { done, value } = this.#performance.next()
      if (done === true) this.#isOver = true
      else batch.push(value)
    }
    this.#given += batch.length
    return batch.length === 0 ? undefined : batch
  }
}

/** A performance with one event of look-ahead. */
class Reel {
  readonly #performance: Performance
  #next: GenerationEvent | undefined
  /** True if the stream goes silent instead of ending; set at the end. */
  staysSilent = false

  constructor(performance: Performance) {
    this.#performance = performance
    this.#advance()
  }

  /** Undefined at the end. */
  peek(): GenerationEvent | undefined {
    return this.#next
  }

  take(into: Array<GenerationEvent>): void {
    if (this.#next === undefined) return
    into.push(this.#next)
    this.#advance()
  }

  #advance(): void {
    const { done, value } = this.#performance.next()
    this.#next = done === true ? undefined : value
    if (done === true) this.staysSilent = value
  }
}

class InTime implements Generation {
  readonly #reel: Reel
  readonly #delayMs: number
  readonly #paceMs: number
  #isCancelled = false
  #given = 0
  #timer: ReturnType<typeof setTimeout> | undefined
  #give: ((batch: Batch | undefined) => void) | undefined
  /** The time of the next beat; undefined before the first event. */
  #due: number | undefined

  constructor(reel: Reel, { delayMs, paceMs }: Directive) {
    this.#reel = reel
    this.#delayMs = delayMs
    this.#paceMs = paceMs
  }

  next(): Batch | undefined | Promise<Batch | undefined> {
    const isOver = this.#reel.peek() === undefined
    if (this.#isCancelled || (isOver && !this.#reel.staysSilent)) return undefined
    if (isOver) return new Promise((resolve) => (this.#give = resolve))
    if (this.#paceMs === 0 && this.#given > 0) {
      return turnAfter(this.#given).then(() => (this.#isCancelled ? undefined : this.#beat()))
    }
    const wait = this.#due === undefined ? this.#delayMs : this.#due - now()
    if (wait <= 0 && this.#due === undefined) return this.#beat()
    return new Promise((resolve) => {
      this.#give = resolve
      this.#timer = setTimeout(
        () => {
          this.#give = undefined
          resolve(this.#beat())
        },
        Math.max(0, wait)
      )
    })
  }

  cancel(): void {
    this.#isCancelled = true
    clearTimeout(this.#timer)
    this.#give?.(undefined)
    this.#give = undefined
  }

  #beat(): Batch {
    const due = (this.#due ??= now())
    const batch: Array<GenerationEvent> = []
    if (this.#paceMs === 0) while (batch.length < batchSize && this.#reel.peek() !== undefined) this.#reel.take(batch)
    else {
      this.#due = due
      do this.#word(batch)
      while (
        batch.length < batchSize &&
        this.#reel.peek() !== undefined &&
        (this.#due = this.#due + this.#paceMs) <= now()
      )
    }
    this.#given += batch.length
    return batch
  }

  /** The events up to the end of the next word. Those that end the answer come with the last word. */
  #word(batch: Array<GenerationEvent>): void {
    while (this.#reel.peek() !== undefined && !isWord(this.#reel.peek())) this.#reel.take(batch)
    this.#reel.take(batch)
    while (this.#reel.peek() !== undefined && !isWord(this.#reel.peek()) && !isBeginning(this.#reel.peek())) {
      this.#reel.take(batch)
    }
  }
}

const now = () => performance.now()

const isWord = (event: GenerationEvent | undefined) =>
  event?.type.endsWith("-delta") === true || (event?.type === "passthrough" && !event.terminal)
const isBeginning = (event: GenerationEvent | undefined) => event?.type.endsWith("-start") === true
