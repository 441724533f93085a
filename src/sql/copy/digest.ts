/** A row's value, as both engines have it. */
export type Value = string | number | null | Uint8Array

/** What rows are, however they are ordered: how many, and the sum of the hashes of each. */
export class Digest {
  rows = 0
  #sum = 0n

  add(values: ReadonlyArray<Value>): void {
    this.rows++
    this.#sum = BigInt.asUintN(64, this.#sum + Bun.hash(JSON.stringify(values.map(written))))
  }

  equals(other: Digest): boolean {
    return this.rows === other.rows && this.#sum === other.#sum
  }
}

/** Bytes as JSON has them. */
export const written = (value: Value): string | number | null =>
  value instanceof Uint8Array ? Buffer.from(value).toString("base64") : value
