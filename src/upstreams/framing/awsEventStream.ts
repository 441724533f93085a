import { BrokenFrame, Silence } from "./Framing.ts"
import type { Frame, FrameParser, Framing } from "./Framing.ts"
import { HeldBytes } from "./HeldBytes.ts"

/** One message of an AWS event stream. */
export interface AwsMessage {
  readonly type: "event" | "exception"
  /** The type of the event or exception. */
  readonly name: string
  /** JSON, for all services that are read here. */
  readonly payload: string
}

/**
 * AWS's binary streams of events (`application/vnd.amazon.eventstream`).
 *
 * @param read the frame that a message amounts to; undefined to leave it out
 */
export const awsEventStream = (read: (message: AwsMessage) => Frame | undefined): Framing => ({
  contentType: "application/vnd.amazon.eventstream",
  parser: () => new AwsFrames(read)
})

/** The largest message that AWS sends: 16 MiB of payload, 128 KiB of headers. In bytes. */
const mostHeaders = 128 * 1024
const mostBytes = 16 * 1024 * 1024 + mostHeaders + 16
/** The lengths of the message and of its headers, and the checksum of both. */
const preludeBytes = 12
const checksumBytes = 4

class AwsFrames implements FrameParser {
  readonly #read: (message: AwsMessage) => Frame | undefined
  readonly #silence = new Silence()
  readonly #held = new HeldBytes()
  /** How many bytes the message at the beginning of the held ones needs: its prelude first. */
  #needed = preludeBytes

  constructor(read: (message: AwsMessage) => Frame | undefined) {
    this.#read = read
  }

  push(bytes: Uint8Array): ReadonlyArray<Frame> {
    if (this.#held.length + bytes.length < this.#needed) {
      this.#held.add(bytes)
      return none
    }
    const all = this.#held.takeWith(bytes)
    const frames: Array<Frame> = []
    let at = 0
    for (;;) {
      const left = all.subarray(at)
      this.#needed = left.length < preludeBytes ? preludeBytes : lengthOf(left)
      if (left.length < this.#needed) break
      const message = messageIn(left.subarray(0, this.#needed))
      const frame = message && this.#read(message)
      if (frame === undefined) this.#silence.add(this.#needed)
      else frames.push(frame)
      at += this.#needed
    }
    // A copy: a view would keep the whole chunk.
    if (at < all.length) this.#held.add(at === 0 ? all : all.slice(at))
    return frames
  }

  /** A message that is cut short says nothing. */
  end(): ReadonlyArray<Frame> {
    return none
  }
}

/** The length of the message that begins here, in bytes. */
const lengthOf = (bytes: Uint8Array): number => {
  const view = viewOf(bytes)
  const length = view.getUint32(0)
  const headers = view.getUint32(4)
  if (view.getUint32(8) !== Bun.hash.crc32(bytes.subarray(0, 8))) throw new BrokenFrame("a prelude is damaged")
  if (length > mostBytes) throw new BrokenFrame(`a message exceeds ${mostBytes} bytes`)
  // Millions of headers would block the event loop for seconds.
  if (headers > mostHeaders) throw new BrokenFrame(`a message has more than ${mostHeaders} bytes of headers`)
  if (length < preludeBytes + headers + checksumBytes) throw new BrokenFrame("a message is shorter than its headers")
  return length
}

/** Undefined for kinds of messages that are not known. */
const messageIn = (bytes: Uint8Array): AwsMessage | undefined => {
  const view = viewOf(bytes)
  const end = bytes.length - checksumBytes
  if (view.getUint32(end) !== Bun.hash.crc32(bytes.subarray(0, end))) throw new BrokenFrame("a message is damaged")
  const payloadAt = preludeBytes + view.getUint32(4)
  const headers = headersIn(bytes.subarray(preludeBytes, payloadAt))
  const payload = utf8.decode(bytes.subarray(payloadAt, end))
  switch (headers.get(":message-type")) {
    case "event": {
      const name = headers.get(":event-type") ?? ""
      // Exceptions are members of the same union, and some proxies send them as such.
      return { type: name.endsWith("Exception") ? "exception" : "event", name, payload }
    }
    case "exception":
      return { type: "exception", name: headers.get(":exception-type") ?? "", payload }
    case "error": {
      const message = headers.get(":error-message") ?? ""
      return { type: "exception", name: headers.get(":error-code") ?? "", payload: JSON.stringify({ message }) }
    }
    default:
      return undefined
  }
}

/** The headers whose values are strings. */
const headersIn = (bytes: Uint8Array): ReadonlyMap<string, string> => {
  const headers = new Map<string, string>()
  const view = viewOf(bytes)
  try {
    let at = 0
    while (at < bytes.length) {
      const nameEnd = at + 1 + view.getUint8(at)
      const type = view.getUint8(nameEnd)
      const [start, length] = valueAt(view, nameEnd + 1, type)
      if (start + length > bytes.length) throw new BrokenFrame("a header is cut")
      if (type === stringType) {
        headers.set(utf8.decode(bytes.subarray(at + 1, nameEnd)), utf8.decode(bytes.subarray(start, start + length)))
      }
      at = start + length
    }
  } catch (cause) {
    throw cause instanceof RangeError ? new BrokenFrame("a header is cut") : cause
  }
  return headers
}

const stringType = 7
/** The bytes of the values of types with a fixed length, by type: booleans, integers, a time, a UUID. */
const fixedLengths: Readonly<Record<number, number>> = { 0: 0, 1: 0, 2: 1, 3: 2, 4: 4, 5: 8, 8: 8, 9: 16 }

/** The offset and length of a header's value. Bytes and strings have their length in front. */
const valueAt = (view: DataView, at: number, type: number): readonly [start: number, length: number] => {
  if (type === stringType || type === 6) return [at + 2, view.getUint16(at)]
  const length = fixedLengths[type]
  if (length === undefined) throw new BrokenFrame("a header has an unknown type")
  return [at, length]
}

const viewOf = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)

const none: ReadonlyArray<Frame> = []
const utf8 = new TextDecoder()
