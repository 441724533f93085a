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
