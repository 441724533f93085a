/** What a clip shows: everything its pixels depend on, and so plain data that goes to the renderer's thread. */
export interface Scene {
  readonly width: number
  readonly height: number
  readonly frames: number
  readonly framesPerSecond: number
  readonly seed: number
  readonly prompt: string
  readonly watermark: boolean
  readonly lastFrame: boolean
}

export interface Clip {
  /** An MP4. */
  readonly video: Uint8Array
  /** A PNG of the last frame, without the watermark; null where none was asked for. */
  readonly lastFrame: Uint8Array | null
}
