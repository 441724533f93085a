/** The bounds of a body with one long list. */
export interface ListBounds {
  /** The bytes of an element. */
  readonly elementBytes: number
  /** The bytes of all that is outside of the list. */
  readonly frameBytes: number
}

/** `frame`: what is outside of the list is too large. `element`: the next element is. */
export type ListExcess = "frame" | "element"

/**
 * Splits the JSON of an object whose member is a long list into the texts of the list's elements, chunk by chunk. It only
 * follows quotes and brackets: other mistakes show when the elements are parsed, and the frame, in which the list is empty.
 */
export class ListReader {
  readonly #bounds: ListBounds
  readonly #name: string
  #depth = 0
  #isInString = false
  #isEscaped = false
  #isInList = false
  #hasList = false
  #frame: Array<string> = []
  #frameBytes = 0
  /** The end of the frame so far. */
  #tail = ""
  #element: Array<Buffer> = []
  #elementBytes = 0
  /** True behind a comma: another element has to follow. */
  #hasComma = false

  /** @param member its name, of letters */
  constructor(member: string, bounds: ListBounds) {
    this.#bounds = bounds
    this.#name = `"${member}"`
  }

  /** The text outside of the list, once all was pushed. */
  get frame(): string {
    return this.#frame.join("")
  }

  /** Takes the next bytes. Returns the texts of the elements that end in them, or what is too large. */
  push(chunk: Uint8Array): ReadonlyArray<string> | ListExcess {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
    const found: Array<string> = []
    let from = 0
    for (let at = 0; at < bytes.length; at++) {
      const byte = bytes[at]
      if (this.#isInString) {
        if (this.#isEscaped) this.#isEscaped = false
        else if (byte === backslash) this.#isEscaped = true
        else if (byte === quote) this.#isInString = false
        continue
      }
      switch (byte) {
        case quote:
          this.#isInString = true
          break
        case opensObject:
        case opensList:
          this.#depth++
          if (byte === opensList && this.#depth === 2 && !this.#hasList) {
            this.#toFrame(bytes, from, at)
            if (this.#isNamed()) {
              this.#isInList = this.#hasList = true
              this.#frame.push("[")
              from = at + 1
            } else from = at
          }
          break
        case closesObject:
        case closesList:
          if (byte === closesList && this.#depth === 2 && this.#isInList) {
            this.#element.push(bytes.subarray(from, at))
            const last = this.#taken()
            if (this.#hasComma || last.trim() !== "") found.push(last)
            this.#isInList = false
            from = at
          }
          this.#depth--
          break
        case comma:
          if (this.#depth === 2 && this.#isInList) {
            this.#element.push(bytes.subarray(from, at))
            found.push(this.#taken())
            this.#hasComma = true
            from = at + 1
          }
          break
      }
      if (this.#isInList && this.#elementBytes + at - from > this.#bounds.elementBytes) return "element"
    }
    if (this.#isInList) {
      // Copied: a short element would keep the whole chunk.
      this.#element.push(Buffer.from(bytes.subarray(from)))
      this.#elementBytes += bytes.length - from
      if (this.#elementBytes > this.#bounds.elementBytes) return "element"
    } else this.#toFrame(bytes, from, bytes.length)
    return this.#frameBytes > this.#bounds.frameBytes ? "frame" : found
  }

  /** True if the next value is the list. A key that only ends so is found in the frame. */
  #isNamed(): boolean {
    const before = this.#tail.trimEnd()
    return before.endsWith(":") && before.slice(0, -1).trimEnd().endsWith(this.#name)
  }

  #taken(): string {
    const text = Buffer.concat(this.#element).toString("utf8")
    this.#element = []
    this.#elementBytes = 0
    return text
  }

  #toFrame(bytes: Buffer, from: number, to: number): void {
    const text = bytes.toString("utf8", from, to)
    this.#frame.push(text)
    this.#frameBytes += to - from
    this.#tail = (this.#tail.slice(-longestTail) + text.slice(-longestTail)).slice(-longestTail)
  }
}

/** A list's name with white space is within so many characters. */
const longestTail = 256

const [quote, backslash, comma] = [0x22, 0x5c, 0x2c] as const
const [opensObject, closesObject, opensList, closesList] = [0x7b, 0x7d, 0x5b, 0x5d] as const
