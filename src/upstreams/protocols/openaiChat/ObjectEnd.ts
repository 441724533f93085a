/** Finds the end of a JSON object that arrives in pieces without parsing the whole text again for each. */
export class ObjectEnd {
  #depth = 0
  #isInText = false
  #isEscaped = false
  /** True once the object is closed, with only whitespace after it. */
  isReached = false

  read(piece: string): void {
    for (let at = 0; at < piece.length; at++) {
      const code = piece.charCodeAt(at)
      if (this.#isInText) this.#readText(code)
      else if (code === quote) this.#isInText = true
      else if (code === openBrace || code === openBracket) this.#depth++
      else if (code === closeBrace || code === closeBracket) this.#depth--
      else continue
      this.isReached = code === closeBrace && !this.#isInText && this.#depth === 0
    }
  }

  /** Resumes the search, because the object was not complete after all. */
  forget(): void {
    this.#depth = Number.NaN
    this.isReached = false
  }

  #readText(code: number): void {
    if (this.#isEscaped) this.#isEscaped = false
    else if (code === backslash) this.#isEscaped = true
    else if (code === quote) this.#isInText = false
  }
}

const quote = 0x22
const backslash = 0x5c
const openBracket = 0x5b
const closeBracket = 0x5d
const openBrace = 0x7b
const closeBrace = 0x7d
