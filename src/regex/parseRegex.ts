/** True for UTF-16 units that match. */
export type Unit = (code: number) => boolean

/** A regular expression as a tree. */
export type Node =
  | { readonly type: "unit"; readonly fits: Unit }
  | { readonly type: "assertion"; readonly holds: (text: string, at: number) => boolean }
  | { readonly type: "sequence"; readonly parts: ReadonlyArray<Node> }
  | { readonly type: "either"; readonly branches: ReadonlyArray<Node> }
  | {
      readonly type: "repetition"
      readonly part: Node
      readonly least: number
      readonly most: number
      readonly isLazy: boolean
    }

/** The reason that a pattern cannot be matched in linear time, or is invalid. */
export class UnsupportedRegex extends Error {}

const longestPattern = 1_000

/**
 * Parses a regular expression in JavaScript's dialect, without flags.
 *
 * @throws UnsupportedRegex if it is invalid, needs backtracking (look-arounds, back references) or a flag (`\p`)
 */
export const parseRegex = (pattern: string): Node => {
  if (pattern.length > longestPattern) {
    throw new UnsupportedRegex(`expected at most ${longestPattern} characters; got ${pattern.length}`)
  }
  return new Parser(pattern).parse()
}

const isDigit: Unit = (code) => code >= 48 && code <= 57
const isWord: Unit = (code) => isDigit(code) || (code >= 65 && code <= 90) || code === 95 || (code >= 97 && code <= 122)
const isSpace: Unit = (code) => /\s/.test(String.fromCharCode(code))
const not =
  (fits: Unit): Unit =>
  (code) =>
    !fits(code)
const kinds: Readonly<Record<string, Unit>> = {
  d: isDigit,
  D: not(isDigit),
  w: isWord,
  W: not(isWord),
  s: isSpace,
  S: not(isSpace)
}
const controls: Readonly<Record<string, number>> = { n: 10, r: 13, t: 9, f: 12, v: 11 }
/** `.` matches neither `\n`, `\r` nor the line and paragraph separators. */
const lineEnds: ReadonlySet<number> = new Set([10, 13, 0x2028, 0x2029])

const exactly = (one: number): Node => ({ type: "unit", fits: (code) => code === one })
const isWordAt = (text: string, at: number) => at >= 0 && at < text.length && isWord(text.charCodeAt(at))
const isEdge = (text: string, at: number) => isWordAt(text, at - 1) !== isWordAt(text, at)

class Parser {
  readonly #pattern: string
  #at = 0

  constructor(pattern: string) {
    this.#pattern = pattern
  }

  parse(): Node {
    const node = this.#either()
    if (this.#at < this.#pattern.length) throw this.#wrong("a `)` that closes nothing")
    return node
  }

  #wrong(what: string): UnsupportedRegex {
    return new UnsupportedRegex(`at character ${this.#at}: ${what}`)
  }

  #take(expected: string): boolean {
    if (!this.#pattern.startsWith(expected, this.#at)) return false
    this.#at += expected.length
    return true
  }

  #match(expected: RegExp): RegExpExecArray | undefined {
    const matched = expected.exec(this.#pattern.slice(this.#at, this.#at + 50))
    if (matched === null) return undefined
    this.#at += matched[0].length
    return matched
  }

  #next(): string {
    if (this.#at >= this.#pattern.length) throw this.#wrong("the end, too early")
    return this.#pattern.charAt(this.#at++)
  }

  #either(): Node {
    const branches: Array<Node> = []
    do branches.push(this.#sequence())
    while (this.#take("|"))
    return { type: "either", branches }
  }

  #sequence(): Node {
    const parts: Array<Node> = []
    for (;;) {
      const next = this.#pattern.charAt(this.#at)
      if (next === "" || next === "|" || next === ")") return { type: "sequence", parts }
      parts.push(this.#repeated(this.#atom()))
    }
  }

  #repeated(part: Node): Node {
    const matched = this.#match(/^(?:([*+?])|\{(\d{1,6})(,(\d{0,6}))?\})/)
    if (matched === undefined) return part
    const [, sign, count, comma, end] = matched
    const isLazy = this.#take("?")
    if (sign !== undefined) {
      return { type: "repetition", part, least: sign === "+" ? 1 : 0, most: sign === "?" ? 1 : Infinity, isLazy }
    }
    const least = Number(count)
    const most = comma === undefined ? least : end === "" ? Infinity : Number(end)
    if (most < least) throw this.#wrong("a repetition whose numbers are out of order")
    return { type: "repetition", part, least, most, isLazy }
  }

  #atom(): Node {
    const character = this.#next()
    switch (character) {
      case "^":
        return { type: "assertion", holds: (_, at) => at === 0 }
      case "$":
        return { type: "assertion", holds: (text, at) => at === text.length }
      case ".":
        return { type: "unit", fits: (code) => !lineEnds.has(code) }
      case "(":
        return this.#group()
      case "[":
        return { type: "unit", fits: this.#class() }
      case "\\": {
        if (this.#take("b")) return { type: "assertion", holds: isEdge }
        if (this.#take("B")) return { type: "assertion", holds: (text, at) => !isEdge(text, at) }
        const escaped = this.#escaped()
        return typeof escaped === "number" ? exactly(escaped) : { type: "unit", fits: escaped }
      }
      case "*":
      case "+":
      case "?":
        throw this.#wrong("nothing to repeat")
      default:
        if (character === "{" && /^\d+(?:,\d*)?\}/.test(this.#pattern.slice(this.#at))) {
          throw this.#wrong("nothing to repeat")
        }
        return exactly(character.charCodeAt(0))
    }
  }

  #group(): Node {
    if (this.#take("?") && !this.#take(":") && this.#match(/^<[A-Za-z]\w{0,40}>/) === undefined) {
      throw this.#wrong("a look-around, or a group of another kind")
    }
    const inner = this.#either()
    if (!this.#take(")")) throw this.#wrong("a `(` that is not closed")
    return inner
  }

  #class(): Unit {
    const isNegated = this.#take("^")
    const fits: Array<Unit> = []
    while (!this.#take("]")) {
      const from = this.#ofClass()
      const isRange = /^-[^\]]/.test(this.#pattern.slice(this.#at, this.#at + 2))
      if (!isRange) {
        fits.push(typeof from === "number" ? (code) => code === from : from)
        continue
      }
      this.#at++
      const to = this.#ofClass()
      if (typeof from !== "number" || typeof to !== "number")
        throw this.#wrong("a range of more than single characters")
      if (to < from) throw this.#wrong("a range out of order")
      fits.push((code) => code >= from && code <= to)
    }
    const isIn: Unit = (code) => fits.some((each) => each(code))
    return isNegated ? not(isIn) : isIn
  }

  #ofClass(): number | Unit {
    const character = this.#next()
    if (character !== "\\") return character.charCodeAt(0)
    return this.#take("b") ? 8 : this.#escaped()
  }

  #escaped(): number | Unit {
    const code = this.#match(/^(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4}))/)
    if (code !== undefined) return Number.parseInt(code[1] ?? code[2] ?? "", 16)
    const character = this.#next()
    const kind = kinds[character]
    if (kind !== undefined) return kind
    const control = controls[character]
    if (control !== undefined) return control
    if (character === "0" && !/^\d/.test(this.#pattern.charAt(this.#at))) return 0
    if (/[A-Za-z0-9]/.test(character)) throw this.#wrong("a back reference, or an escape that is not known")
    return character.charCodeAt(0)
  }
}
