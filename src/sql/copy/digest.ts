/** A value of a row, the same on both engines. */
export type Value = string | number | null | Uint8Array

/** A digest of rows in any order: their number and the sum of their hashes. */
export class Digest {
  rows = 0
  #sum = 0n

  add(values: ReadonlyArray<Value>): void {
    this.rows++
    this.#sum = BigInt.asUintN(64, this.#sum + Bun.hash(JSON.stringify(values.map(jsonOf))))
  }

  equals(other: Digest): boolean {
    return this.rows === other.rows && this.#sum === other.#sum
  }
}

/** A value as JSON, with bytes as base64. */
export const jsonOf = (value: Value): string | number | null =>
  value instanceof Uint8Array ? Buffer.from(value).toString("base64") : value
