/** What a character of JSON text takes at most: `\u0000`. */
const mostPerUnit = 6
/** The longest number, as its decimal text. */
const longestNumber = 32

const utf8 = new TextEncoder()

const [quote, backslash, zero, point] = [0x22, 0x5c, 0x30, 0x2e]
/** Between these a character of ASCII stands for itself, quote and backslash aside. */
const [firstPlain, lastPlain] = [0x20, 0x7e]

/**
 * JSON that is written a piece at a time, as bytes from the first: a string made of thirty pieces is put together when it
 * is read and swept when it is not any more, which costs three times as much.
 */
export class JsonBytes {
  #bytes: Uint8Array<ArrayBuffer>
  #length = 0

  /** @param room in bytes; it grows where that is not enough */
  constructor(room: number) {
    this.#bytes = new Uint8Array(room)
  }

  /** In bytes. */
  get length(): number {
    return this.#length
  }

  /** Bytes that are JSON already. */
  put(part: Uint8Array): void {
    this.#reserve(part.length)
    this.#bytes.set(part, this.#length)
    this.#length += part.length
  }

  /** The inside of a JSON string. */
  putInside(text: string): void {
    this.#reserve(text.length * mostPerUnit)
    const [bytes, start] = [this.#bytes, this.#length]
    for (let index = 0; index < text.length; index++) {
      const unit = text.charCodeAt(index)
      if (unit < firstPlain || unit > lastPlain || unit === quote || unit === backslash) return this.#escape(text)
      bytes[start + index] = unit
    }
    this.#length = start + text.length
  }

  /** What was written from a place on, once more. */
  putAgain(start: number, end: number): void {
    this.#reserve(end - start)
    this.#bytes.copyWithin(this.#length, start, end)
    this.#length += end - start
  }

  /** A number that is whole and not negative, or whatever else a number may be. */
  putNumber(value: number): void {
    this.#reserve(longestNumber)
    const digits = value < 10 ? 1 : value < 100 ? 2 : value < 1_000 ? 3 : value < 10_000 ? 4 : 0
    if (digits === 0 || value < 0 || !Number.isInteger(value)) return this.putInside(String(value))
    let rest = value
    for (let place = this.#length + digits - 1; place >= this.#length; place--) {
      this.#bytes[place] = zero + (rest % 10)
      rest = Math.floor(rest / 10)
    }
    this.#length += digits
  }

  /** `12.034`, cut off after three places. */
  putThousandths(value: number): void {
    const whole = Math.floor(value)
    const rest = Math.floor((value - whole) * 1_000)
    this.putNumber(whole)
    this.#bytes[this.#length++] = point
    for (let place = 100; place >= 1; place /= 10) this.#bytes[this.#length++] = zero + (Math.floor(rest / place) % 10)
  }

  /** All that was written; it begins anew. */
  take(): Uint8Array<ArrayBuffer> {
    const taken = this.#bytes.slice(0, this.#length)
    this.#length = 0
    return taken
  }

  #escape(text: string): void {
    const { written } = utf8.encodeInto(JSON.stringify(text).slice(1, -1), this.#bytes.subarray(this.#length))
    this.#length += written
  }

  #reserve(room: number): void {
    const needed = this.#length + room
    if (needed <= this.#bytes.length) return
    const wider = new Uint8Array(2 * needed)
    wider.set(this.#bytes.subarray(0, this.#length))
    this.#bytes = wider
  }
}
