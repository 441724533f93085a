import { HeldBytes } from "./HeldBytes.ts"
import { eventLimit, SseOverflow } from "./sse.ts"

/**
 * Cuts a stream of server-sent events after the blank lines of its frames, however the bytes arrive. It emits whole
 * frames unchanged and holds back the unfinished one.
 */
export class WholeFrames {
  readonly #limit: number
  #held: HeldBytes | undefined
  // The two bytes before the next chunk. An empty first line counts as blank.
  #last = carriageReturn
  #lastButOne = carriageReturn

  /** @param limit the largest frame held back, in bytes */
  constructor(limit: number = eventLimit) {
    this.#limit = limit
  }

  /** The frames that these bytes complete; undefined if none. Throws `SseOverflow` if one exceeds the limit. */
  push(bytes: Uint8Array): Uint8Array | undefined {
    const end = this.#end(bytes)
    const { length } = bytes
    this.#lastButOne = length > 1 ? byteAt(bytes, length - 2) : length === 1 ? this.#last : this.#lastButOne
    this.#last = length > 0 ? byteAt(bytes, length - 1) : this.#last
    if (end === 0) {
      this.#hold(bytes)
      return undefined
    }
    const whole = end === length ? bytes : bytes.subarray(0, end)
    const frames = this.#held === undefined ? whole : this.#held.takeWith(whole)
    // A copy: a view would keep the whole chunk.
    if (end < length) this.#hold(bytes.slice(end))
    return frames
  }

  /** The frame that the end of the stream cut short. */
  rest(): Uint8Array {
    return this.#held?.takeWith(empty) ?? empty
  }

  #hold(bytes: Uint8Array): void {
    const held = (this.#held ??= new HeldBytes())
    held.add(bytes)
    if (held.length > this.#limit) throw new SseOverflow(`an event exceeds ${this.#limit} bytes`)
  }

  /** The offset after the last blank line, 0 if there is none. */
  #end(bytes: Uint8Array): number {
    for (let at = bytes.length - 1; at >= 0; at--) {
      const byte = bytes[at]
      if (byte !== lineFeed && byte !== carriageReturn) continue
      const isPair = byte === lineFeed && this.#byte(bytes, at - 1) === carriageReturn
      const before = this.#byte(bytes, isPair ? at - 2 : at - 1)
      // In CRLF streams, the other half of this line end is still to come.
      if (byte === carriageReturn && before === lineFeed && at === bytes.length - 1) continue
      if (before === lineFeed || before === carriageReturn) return at + 1
    }
    return 0
  }

  #byte(bytes: Uint8Array, at: number): number {
    return at >= 0 ? byteAt(bytes, at) : at === -1 ? this.#last : this.#lastButOne
  }
}

/**
 * Start and end offsets, flat, of the frames that have one of these names or no name. It compares the names as bytes
 * and decodes nothing else.
 */
export const framesNamed = (names: FrameNames, bytes: Uint8Array): ReadonlyArray<number> => {
  let offsets: Array<number> | undefined
  const { length } = bytes
  let start = 0
  let isWanted = false
  let isNamed = false
  let isEmpty = true
  let at = 0
  // Carriage returns are rare. Without any, the platform's search finds the ends of long lines in half the time.
  const hasReturns = bytes.includes(carriageReturn)
  while (at < length) {
    const line = at
    const isEvent = isEventField(bytes, line)
    const lineEnd = isEvent || hasReturns ? endOfLine(bytes, line) : lineFeedFrom(bytes, line)
    at = lineEnd + 1
    if (hasReturns && bytes[lineEnd] === carriageReturn && bytes[at] === lineFeed) at++
    if (lineEnd > line) {
      if (isEvent) {
        const from = line + (bytes[line + 6] === space ? 7 : 6)
        isWanted = names.has(bytes, from, lineEnd)
        isNamed = lineEnd > from
      }
      if (bytes[line] !== colon) isEmpty = false
      continue
    }
    if (isWanted || !(isNamed || isEmpty)) (offsets ??= []).push(start, at)
    start = at
    isWanted = isNamed = false
    isEmpty = true
  }
  return offsets ?? noOffsets
}

/** Matches names by their bytes. Length alone rules out most others. */
export class FrameNames {
  /** Indexed by length. */
  readonly #names: ReadonlyArray<ReadonlyArray<Uint8Array>>

  constructor(names: ReadonlyArray<string>) {
    const written = names.map((name) => new TextEncoder().encode(name))
    const longest = Math.max(0, ...written.map((name) => name.length))
    this.#names = Array.from({ length: longest + 1 }, (_, length) => written.filter((name) => name.length === length))
  }

  has(bytes: Uint8Array, from: number, to: number): boolean {
    const names = this.#names[to - from]
    if (names === undefined) return false
    for (const name of names) {
      let at = name.length - 1
      while (at >= 0 && name[at] === bytes[from + at]) at--
      if (at < 0) return true
    }
    return false
  }
}

const noOffsets: ReadonlyArray<number> = []
const empty = new Uint8Array()
const lineFeed = 10
const carriageReturn = 13
const space = 32
const colon = 58

const byteAt = (bytes: Uint8Array, at: number): number => bytes[at] ?? 0

const endOfLine = (bytes: Uint8Array, from: number): number => {
  let at = from
  while (at < bytes.length && bytes[at] !== lineFeed && bytes[at] !== carriageReturn) at++
  return at
}

const lineFeedFrom = (bytes: Uint8Array, from: number): number => {
  if (bytes[from] === lineFeed) return from
  const at = bytes.indexOf(lineFeed, from)
  return at === -1 ? bytes.length : at
}

/** True if `event:` starts here. */
const isEventField = (bytes: Uint8Array, at: number): boolean =>
  bytes[at] === 101 &&
  bytes[at + 1] === 118 &&
  bytes[at + 2] === 101 &&
  bytes[at + 3] === 110 &&
  bytes[at + 4] === 116 &&
  bytes[at + 5] === colon
