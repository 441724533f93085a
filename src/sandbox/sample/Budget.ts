/** The most steps to build one value, whatever its schema. A step is about a microsecond. */
const mostSteps = 20_000
/** Longer than any answer. */
const mostTokens = 100_000
/** The average for JSON. */
const charactersOfToken = 4

/**
 * The remaining steps and characters for a value. Once it is exhausted, the value is incomplete and does not match its
 * schema.
 */
export class Budget {
  #steps = mostSteps
  #characters: number

  constructor(tokens: number) {
    this.#characters = Math.min(tokens, mostTokens) * charactersOfToken
  }

  get isOver(): boolean {
    return this.#steps <= 0 || this.#characters <= 0
  }

  /** The characters left for the value. */
  get characters(): number {
    return Math.max(0, this.#characters)
  }

  /** Uses steps. Returns false if there were not enough. */
  step(count = 1): boolean {
    this.#steps -= count
    return !this.isOver
  }

  /** Uses characters. Returns false if there were not enough. */
  write(count: number): boolean {
    this.#characters -= count
    return !this.isOver
  }

  /** Marks the schema as impossible to satisfy. */
  giveUp(): void {
    this.#steps = 0
  }
}
