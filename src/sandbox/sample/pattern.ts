import type { Budget } from "./Budget.ts"

/**
 * Whether a caller's pattern, as JSON Schemas have them, matches a text somewhere. All ways through the pattern are gone
 * at once, each position of the text once, so that no pattern takes longer than the budget: a `RegExp` of a stranger's
 * could take for ever. Undefined for what is rare in schemas: look-arounds, back references, `\b`, `\p`.
 */
export const matcherOf = (pattern: string): ((text: string, budget: Budget) => boolean) | undefined => {
  if (pattern.length > longestPattern) return undefined
  try {
    const node = new Parser(pattern).parse()
    return (text, budget) => {
      const everywhere = new Set(Array.from({ length: text.length + 1 }, (_, at) => at))
      return node(text, everywhere, budget).size > 0
    }
  } catch (cause) {
    if (cause instanceof Unsupported) return undefined
    throw cause
  }
}

const longestPattern = 1_000

class Unsupported extends Error {}

type Positions = ReadonlySet<number>

/** From where a part of the pattern begins to where it may end. */
type Node = (text: string, from: Positions, budget: Budget) => Positions
type Character = (code: string) => boolean

const nowhere: Positions = new Set()

const one =
  (test: Character): Node =>
  (text, from, budget) => {
    if (!budget.step(from.size)) return nowhere
    const ends = new Set<number>()
    for (const at of from) if (at < text.length && test(text.charAt(at))) ends.add(at + 1)
    return ends
  }

const where =
  (test: (text: string, at: number) => boolean): Node =>
  (text, from, budget) =>
    budget.step(from.size) ? new Set([...from].filter((at) => test(text, at))) : nowhere

const sequence =
  (parts: ReadonlyArray<Node>): Node =>
  (text, from, budget) => {
    let at = from
    for (const part of parts) {
      if (at.size === 0) return nowhere
      at = part(text, at, budget)
    }
    return at
  }

const either =
  (branches: ReadonlyArray<Node>): Node =>
  (text, from, budget) =>
    new Set(branches.flatMap((branch) => [...branch(text, from, budget)]))

const repeated =
  (part: Node, least: number, most: number): Node =>
  (text, from, budget) => {
    let at = from
    for (let times = 0; times < least && at.size > 0; times++) {
      if (!budget.step()) return nowhere
      at = part(text, at, budget)
    }
    const ends = new Set(at)
    for (let times = least; times < most && at.size > 0; times++) {
      if (!budget.step()) return nowhere
      // Where it was before it need not go on from again.
      at = new Set([...part(text, at, budget)].filter((end) => !ends.has(end)))
      for (const end of at) ends.add(end)
    }
    return ends
  }

const isDigit: Character = (code) => code >= "0" && code <= "9"
const isWord: Character = (code) => /[A-Za-z0-9_]/.test(code)
const isSpace: Character = (code) => /\s/.test(code)
const not =
  (test: Character): Character =>
  (code) =>
    !test(code)
const exactly =
  (character: string): Character =>
  (code) =>
    code === character

const kinds: Readonly<Record<string, Character>> = {
  d: isDigit,
  D: not(isDigit),
  w: isWord,
  W: not(isWord),
  s: isSpace,
  S: not(isSpace)
}
const controls: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t", f: "\f", v: "\v", 0: "\0" }

class Parser {
  readonly #pattern: string
  #at = 0

  constructor(pattern: string) {
    this.#pattern = pattern
  }

  parse(): Node {
    const node = this.#branches()
    if (this.#at < this.#pattern.length) throw new Unsupported()
    return node
  }

  #take(expected: string): boolean {
    if (!this.#pattern.startsWith(expected, this.#at)) return false
    this.#at += expected.length
    return true
  }

  #next(): string {
    const character = this.#pattern.charAt(this.#at++)
    if (character === "") throw new Unsupported()
    return character
  }

  #branches(): Node {
    const branches: Array<Node> = []
    do branches.push(this.#sequence())
    while (this.#take("|"))
    return either(branches)
  }

  #sequence(): Node {
    const parts: Array<Node> = []
    for (;;) {
      const next = this.#pattern.charAt(this.#at)
      if (next === "" || next === "|" || next === ")") return sequence(parts)
      parts.push(this.#quantified(this.#atom()))
    }
  }

  #quantified(part: Node): Node {
    const counted = /^(?:[*+?]|\{(\d{1,6})(,(\d{0,6}))?\})\??/.exec(this.#pattern.slice(this.#at, this.#at + 20))
    if (counted === null) return part
    const [quantifier, least = "", comma, most = ""] = counted
    this.#at += quantifier.length
    if (quantifier.startsWith("*")) return repeated(part, 0, Infinity)
    if (quantifier.startsWith("+")) return repeated(part, 1, Infinity)
    if (quantifier.startsWith("?")) return repeated(part, 0, 1)
    return repeated(part, Number(least), comma === undefined ? Number(least) : most === "" ? Infinity : Number(most))
  }

  #atom(): Node {
    const character = this.#next()
    switch (character) {
      case "^":
        return where((_, at) => at === 0)
      case "$":
        return where((text, at) => at === text.length)
      case ".":
        return one((code) => code !== "\n")
      case "(":
        return this.#group()
      case "[":
        return one(this.#class())
      case "\\":
        return one(this.#escaped())
      default:
        if ("*+?{".includes(character)) throw new Unsupported()
        return one(exactly(character))
    }
  }

  #group(): Node {
    if (this.#take("?") && !this.#take(":")) {
      const name = /^<[A-Za-z]\w{0,40}>/.exec(this.#pattern.slice(this.#at, this.#at + 50))
      if (name === null) throw new Unsupported()
      this.#at += name[0].length
    }
    const inner = this.#branches()
    if (!this.#take(")")) throw new Unsupported()
    return inner
  }

  #class(): Character {
    const isNegated = this.#take("^")
    const tests: Array<Character> = []
    while (!this.#take("]")) {
      const from = this.#next()
      if (from === "\\") tests.push(this.#escaped())
      else if (/^-[^\]\\]/.test(this.#pattern.slice(this.#at, this.#at + 2))) {
        this.#at++
        const to = this.#next()
        tests.push((code) => code >= from && code <= to)
      } else tests.push(exactly(from))
    }
    const isIn: Character = (code) => tests.some((test) => test(code))
    return isNegated ? not(isIn) : isIn
  }

  #escaped(): Character {
    const character = this.#next()
    const kind = kinds[character]
    if (kind !== undefined) return kind
    const control = controls[character]
    if (control !== undefined) return exactly(control)
    if (/[A-Za-z0-9]/.test(character)) throw new Unsupported()
    return exactly(character)
  }
}
