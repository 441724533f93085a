/** The bytes of an unfinished frame, in the pieces in which they came. */
export class HeldBytes {
  #pieces: Array<Uint8Array> = []
  /** The pieces at the end that are not joined yet. */
  #loose = 0
  length = 0

  add(bytes: Uint8Array): void {
    if (bytes.length === 0) return
    this.#pieces.push(bytes)
    this.length += bytes.length
    if (++this.#loose < mostLoose) return
    // Millions of tiny pieces would take a hundred times their length.
    this.#pieces.push(Buffer.concat(this.#pieces.splice(-mostLoose)))
    this.#loose = 0
  }

  /** Joins the pieces and these bytes, and holds nothing afterwards. */
  takeWith(bytes: Uint8Array): Uint8Array {
    if (this.length === 0) return bytes
    const all = Buffer.concat([...this.#pieces, bytes])
    this.#pieces = []
    this.#loose = 0
    this.length = 0
    return all
  }
}

const mostLoose = 256
