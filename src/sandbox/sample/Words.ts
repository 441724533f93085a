import type { Budget } from "./Budget.ts"
import { Regex } from "../../regex/Regex.ts"

/** The most characters of the text that are read. */
const lookedAt = 4_000
const longestCandidate = 64
const mostCandidates = 16

/** The material for values: the text, and the names, numbers and words in it, each extracted once. */
export class Words {
  readonly text: string
  readonly #budget: Budget
  #numbers: ReadonlyArray<number> | undefined
  #name: string | undefined
  #lower: string | undefined
  readonly #matches = new Map<string, string>()

  constructor(text: string, budget: Budget) {
    this.text = text.slice(0, lookedAt)
    this.#budget = budget
  }

  get numbers(): ReadonlyArray<number> {
    return (this.#numbers ??= (this.text.match(/-?\d{1,15}(?:\.\d{1,15})?/g) ?? []).map(Number))
  }

  /** A name in the text if the field asks for a thing ("Paris" for `city`), otherwise the whole text. */
  for(field: string): string {
    const whole = this.text.trim() === "" ? "sandbox" : this.text.trim()
    if (field === "" || textual.test(field)) return whole
    return (this.#name ??= nameIn(whole) ?? whole)
  }

  includes(choice: string): boolean {
    return (this.#lower ??= this.text.toLowerCase()).includes(choice.toLowerCase())
  }

  /** A text that matches a pattern: the text, one of its words, or a common value; otherwise the text. */
  matching(pattern: string, field: string): string {
    const remembered = this.#matches.get(pattern)
    if (remembered !== undefined) return remembered
    const word = this.for(field)
    const regex = Regex.parse(pattern)
    const candidates = [word, ...this.text.split(/\s+/).slice(0, mostCandidates), ...common].filter(
      ({ length }) => length <= longestCandidate
    )
    const match =
      regex instanceof Regex ? candidates.find((candidate) => regex.test(candidate, this.#budget)) : undefined
    this.#matches.set(pattern, match ?? word)
    return match ?? word
  }
}

const textual = /^(?:answer|body|content|description|input|message|prompt|q|query|question|reason|summary|text)$/i

/** The first capitalised words that do not begin the text. */
const nameIn = (text: string): string | undefined => {
  const words = text.split(/\s+/)
  const first = words.findIndex((word, index) => index > 0 && capital.test(word))
  if (first === -1) return undefined
  const name: Array<string> = []
  for (const word of words.slice(first)) {
    const [quoted = "", plain] = capital.exec(word) ?? []
    if (plain === undefined || (name.length > 0 && quoted !== plain)) break
    name.push(plain)
    // Punctuation ends the name.
    if (!word.endsWith(plain)) break
  }
  return name.join(" ")
}
const capital = /^["'(]?(\p{Lu}[\p{L}\p{N}-]*)/u

const common = [
  "a",
  "A",
  "1",
  "abc",
  "ABC",
  "Abc",
  "abc-1",
  "ABC-123",
  "123",
  "12345",
  "1234567890",
  "a1",
  "2025-01-01",
  "12:00"
]
