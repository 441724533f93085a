/** The content of a clip: everything its pixels depend on, as plain data for the renderer's thread. */
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
  /** A PNG of the last frame without the watermark; null if not requested. */
  readonly lastFrame: Uint8Array | null
}
