import { compileRegex } from "./compileRegex.ts"
import type { Instruction } from "./compileRegex.ts"
import { parseRegex, UnsupportedRegex } from "./parseRegex.ts"

/** The steps that matching may use. */
export interface Steps {
  /** Uses steps. Returns false if there were not enough. */
  readonly step: (count: number) => boolean
}

/** Positions in a text; the end is exclusive. */
interface Match {
  readonly start: number
  readonly end: number
}

/**
 * A caller's regular expression in JavaScript's dialect. It follows all paths at once, visiting each position once, so
 * that `(a+)+$` takes no longer than `a+$`; a `RegExp` could take for ever. The match is the one of a `RegExp`: the
 * leftmost, and of those the preferred one.
 */
export class Regex {
  readonly #program: ReadonlyArray<Instruction>
  readonly #begins: Begins
  #now: Threads
  #next: Threads

  private constructor(program: ReadonlyArray<Instruction>) {
    this.#program = program
    this.#begins = beginsOf(program)
    this.#now = new Threads(program)
    this.#next = new Threads(program)
  }

  /** @throws UnsupportedRegex if it cannot be run */
  static readonly of = (pattern: string): Regex => new Regex(compileRegex(parseRegex(pattern)))

  /** Returns the reason if it cannot be run. */
  static parse(pattern: string): Regex | UnsupportedRegex {
    try {
      return Regex.of(pattern)
    } catch (cause) {
      if (cause instanceof UnsupportedRegex) return cause
      throw cause
    }
  }

  /** True if it matches anywhere; false if the steps run out first. */
  test(text: string, steps: Steps): boolean {
    return typeof this.#find(text, 0, steps) === "object"
  }

  /** The text with all non-empty matches replaced; undefined if the steps run out. */
  replaceAll(text: string, instead: string, steps: Steps): string | undefined {
    let replaced = ""
    let copied = 0
    for (let at = 0; at <= text.length;) {
      const match = this.#find(text, at, steps)
      if (match === "steps used up") return undefined
      if (match === undefined) break
      const { end, start } = match
      if (end > start) {
        replaced += text.slice(copied, start) + instead
        copied = end
      }
      at = Math.max(end, start + 1)
    }
    return copied === 0 ? text : replaced + text.slice(copied)
  }

  #find(text: string, from: number, steps: Steps): Match | "steps used up" | undefined {
    let best: Match | undefined
    this.#now.clear()
    for (let at = from; at <= text.length; at++) {
      if (this.#now.count === 0) {
        if (best !== undefined) break
        at = this.#begins.next(text, at)
      }
      if (best === undefined) this.#now.add(0, at, text, at)
      if (!steps.step(this.#now.count + 1)) return "steps used up"
      this.#next.clear()
      for (let index = 0; index < this.#now.count; index++) {
        const pc = this.#now.pcs[index] ?? 0
        const start = this.#now.starts[index] ?? 0
        const instruction = this.#program[pc]
        if (instruction?.op === "match") {
          best = { start, end: at }
          // The remaining threads are less preferred.
          break
        }
        if (instruction?.op === "unit" && at < text.length && instruction.fits(text.charCodeAt(at))) {
          this.#next.add(pc + 1, start, text, at + 1)
        }
      }
      ;[this.#now, this.#next] = [this.#next, this.#now]
    }
    return best
  }
}

/** The active instructions at one position of the text, the most preferred first. */
class Threads {
  readonly #program: ReadonlyArray<Instruction>
  readonly pcs: Uint16Array
  /** The start of each thread's match. */
  readonly starts: Uint32Array
  count = 0
  readonly #seen: Float64Array
  #round = 0

  constructor(program: ReadonlyArray<Instruction>) {
    this.#program = program
    this.pcs = new Uint16Array(program.length)
    this.starts = new Uint32Array(program.length)
    this.#seen = new Float64Array(program.length)
  }

  clear(): void {
    this.count = 0
    this.#round++
  }

  add(pc: number, start: number, text: string, at: number): void {
    if (this.#seen[pc] === this.#round) return
    this.#seen[pc] = this.#round
    const instruction = this.#program[pc]
    switch (instruction?.op) {
      case "jump":
        return this.add(instruction.to, start, text, at)
      case "split":
        this.add(instruction.first, start, text, at)
        return this.add(instruction.second, start, text, at)
      case "assertion":
        if (instruction.holds(text, at)) this.add(pc + 1, start, text, at)
        return
      default:
        this.pcs[this.count] = pc
        this.starts[this.count++] = start
    }
  }
}

/** Finds positions at which a match can begin. */
interface Begins {
  readonly next: (text: string, from: number) => number
}

const beginsOf = (program: ReadonlyArray<Instruction>): Begins => {
  const first: Array<Instruction> = []
  const seen = new Set<number>()
  const follow = (pc: number): void => {
    const instruction = program[pc]
    if (seen.has(pc) || instruction === undefined) return
    seen.add(pc)
    if (instruction.op === "jump") return follow(instruction.to)
    if (instruction.op === "assertion") return follow(pc + 1)
    if (instruction.op !== "split") return void first.push(instruction)
    follow(instruction.first)
    follow(instruction.second)
  }
  follow(0)
  const fits = first.flatMap((instruction) => (instruction.op === "unit" ? [instruction.fits] : []))
  // It may match the empty string, which it does anywhere.
  if (fits.length < first.length) return { next: (_, from) => from }
  const ofAscii = Uint8Array.from({ length: 128 }, (_, code) => (fits.some((each) => each(code)) ? 1 : 0))
  const isFirst = (code: number) => (code < 128 ? ofAscii[code] === 1 : fits.some((each) => each(code)))
  return {
    next: (text, from) => {
      let at = from
      while (at < text.length && !isFirst(text.charCodeAt(at))) at++
      return at
    }
  }
}
