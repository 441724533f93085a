import { mp3FrameAt, tagBytes } from "../contract/bodies/mp3Frame.ts"

/** Adds up the frames of an MP3: their bit rates may differ, and a count in its tags may be a lie. */
export class Mp3Frames {
  /** Undefined if the file does not begin as an MP3 does. */
  seconds: number | undefined
  /** Bytes that are in no frame. */
  others = 0
  #rest: Buffer = Buffer.alloc(0)
  /** Bytes of a frame, or of the tags, that are yet to come. */
  #toSkip = 0
  #isOver = false

  push(chunk: Uint8Array): void {
    if (this.#isOver) return
    const bytes = this.#rest.length === 0 ? Buffer.from(chunk) : Buffer.concat([this.#rest, chunk])
    let at = this.#toSkip
    if (this.seconds === undefined && at === 0) {
      if (bytes.length <= 10) return void (this.#rest = bytes)
      at = tagBytes(bytes)
    }
    while (at + 4 <= bytes.length) {
      const frame = mp3FrameAt(bytes, at)
      if (frame === undefined && this.seconds === undefined) return void (this.#isOver = true)
      if (frame !== undefined) this.seconds = (this.seconds ?? 0) + frame.seconds
      const next = frame === undefined ? bytes.indexOf(255, at + 1) : at + frame.bytes
      if (frame === undefined) this.others += (next === -1 ? bytes.length : next) - at
      at = next === -1 ? bytes.length : next
    }
    this.#toSkip = Math.max(0, at - bytes.length)
    this.#rest = bytes.subarray(at)
  }
}
