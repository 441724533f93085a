/** One frame of a stream: its name and its data. */
export interface Frame {
  readonly event: string
  readonly data: string
}

/** Cuts one stream of bytes into frames, however the bytes arrive. */
export interface FrameParser {
  /** The frames that these bytes complete. Throws `BrokenFrame`. */
  readonly push: (bytes: Uint8Array) => ReadonlyArray<Frame>
  /** The last frame, if the stream ended without its closing mark. */
  readonly end: () => ReadonlyArray<Frame>
}

/** The form in which a protocol streams its frames. */
export interface Framing {
  /** The content type of a stream. */
  readonly contentType: string
  readonly parser: () => FrameParser
}

/** A frame is damaged, or exceeds its limit. */
export class BrokenFrame extends Error {}

/** The most of a stream that says nothing, in bytes. A heartbeat each second for a day is half of it. */
const silenceLimit = 4 * 1024 * 1024

/** Counts what a stream sends beside its frames' data: comments, unknown fields, frames without data. */
export class Silence {
  readonly #limit: number
  #bytes = 0

  constructor(limit: number = silenceLimit) {
    this.#limit = limit
  }

  /** Throws `BrokenFrame` once it is too much. */
  add(bytes: number): void {
    this.#bytes += bytes
    if (this.#bytes > this.#limit) throw new BrokenFrame(`more than ${this.#limit} bytes that say nothing`)
  }
}
