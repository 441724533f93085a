/** Steps that making one value may take, whatever its schema asks for: about a microsecond each. */
const mostSteps = 20_000
/** More than any answer's tokens. */
const mostTokens = 100_000
/** Of JSON, as a token has them on average. */
const charactersOfToken = 4

/** What may still be spent on a value. Once it is over nothing more is made, and what there is does not fit its schema. */
export class Budget {
  #steps = mostSteps
  #characters: number

  constructor(tokens: number) {
    this.#characters = Math.min(tokens, mostTokens) * charactersOfToken
  }

  get isOver(): boolean {
    return this.#steps <= 0 || this.#characters <= 0
  }

  /** Characters that the value may still have. */
  get characters(): number {
    return Math.max(0, this.#characters)
  }

  /** Takes steps; answers whether there were as many. */
  step(count = 1): boolean {
    this.#steps -= count
    return !this.isOver
  }

  /** Takes characters of the value; answers whether there were as many. */
  write(count: number): boolean {
    this.#characters -= count
    return !this.isOver
  }

  /** Says that the schema can't be met. */
  giveUp(): void {
    this.#steps = 0
  }
}
