/** Every video has 24 frames per second. */
export const framesPerSecond = 24

export interface Size {
  readonly width: number
  readonly height: number
}

const shapes = ["16:9", "4:3", "1:1", "3:4", "9:16", "21:9"] as const
type Shape = (typeof shapes)[number]

const size = (width: number, height: number): Size => ({ width, height })

/** Pixels by resolution and ratio (Seedance 2.0's table). */
const table: Readonly<Record<string, Readonly<Record<Shape, Size>>>> = {
  "480p": {
    "16:9": size(864, 496),
    "4:3": size(752, 560),
    "1:1": size(640, 640),
    "3:4": size(560, 752),
    "9:16": size(496, 864),
    "21:9": size(992, 432)
  },
  "720p": {
    "16:9": size(1280, 720),
    "4:3": size(1112, 834),
    "1:1": size(960, 960),
    "3:4": size(834, 1112),
    "9:16": size(720, 1280),
    "21:9": size(1470, 630)
  },
  "1080p": {
    "16:9": size(1920, 1080),
    "4:3": size(1664, 1248),
    "1:1": size(1440, 1440),
    "3:4": size(1248, 1664),
    "9:16": size(1080, 1920),
    "21:9": size(2206, 946)
  },
  "4k": {
    "16:9": size(3840, 2160),
    "4:3": size(3326, 2494),
    "1:1": size(2880, 2880),
    "3:4": size(2494, 3326),
    "9:16": size(2160, 3840),
    "21:9": size(4398, 1886)
  }
}

/** `3:3` is a spelling of `3:4`. */
const shapeOf = (ratio: string): Shape => shapes.find((shape) => shape === ratio) ?? (ratio === "3:3" ? "3:4" : "16:9")

/** A video's size in pixels. A resolution outside the table counts as 1080p, enough for an estimate. */
export const sizeOf = (resolution: string, ratio: string): Size => {
  const row = table[resolution] ?? table["1080p"]
  return row === undefined ? size(1920, 1080) : row[shapeOf(ratio)]
}

const wide = (shape: Shape): number => {
  const [width = 1, height = 1] = shape.split(":").map(Number)
  return width / height
}

/** The ratio nearest to an image's, by the stretch from one to the other. */
export const nearestRatio = (image: Size): Shape => {
  const stretch = (shape: Shape) => Math.abs(Math.log(image.width / image.height / wide(shape)))
  return shapes.reduce((best, shape) => (stretch(shape) < stretch(best) ? shape : best))
}

/** Tokens of a video: (seconds in + seconds out) × width × height × 24 / 1024. */
export const videoTokens = (output: Size & { readonly frames: number }, inputVideoSeconds = 0): number =>
  Math.round(
    ((inputVideoSeconds + output.frames / framesPerSecond) * output.width * output.height * framesPerSecond) / 1024
  )
