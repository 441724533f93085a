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

/** The lines of a landscape video: 720 for `720p`, 2160 for `4k`, 1080 for a name without a number. */
export const linesOf = (resolution: string): number => {
  const [, lines, thousands] = /^(?:(\d+)p|(\d)k)$/.exec(resolution) ?? []
  if (thousands !== undefined) return thousands === "2" ? 1440 : Number(thousands) * 540
  return lines === undefined ? 1080 : Number(lines)
}

/** A video's size in pixels. A resolution outside the table is estimated from the size of 1080p. */
export const sizeOf = (resolution: string, ratio: string): Size => {
  const known = table[resolution]?.[shapeOf(ratio)]
  if (known !== undefined) return known
  const { height, width } = table["1080p"]?.[shapeOf(ratio)] ?? size(1920, 1080)
  const scale = (side: number) => 2 * Math.round((side * linesOf(resolution)) / 2160)
  return size(scale(width), scale(height))
}

const wide = (shape: Shape): number => {
  const [width = 1, height = 1] = shape.split(":").map(Number)
  return width / height
}

/** The ratio nearest to an image's among those offered, by the stretch from one to the other. */
export const nearestRatio = (image: Size, offered: ReadonlyArray<string> = shapes): Shape => {
  const stretch = (shape: Shape) => Math.abs(Math.log(image.width / image.height / wide(shape)))
  const [first = "16:9", ...others] = shapes.filter((shape) => offered.includes(shape))
  return others.reduce((best, shape) => (stretch(shape) < stretch(best) ? shape : best), first)
}

/** Tokens of a video: (seconds in + seconds out) × width × height × 24 / 1024. */
export const videoTokens = (output: Size & { readonly frames: number }, inputVideoSeconds = 0): number =>
  // By frames: a third of a second is no double, and halves are rounded up.
  Math.round(((inputVideoSeconds * framesPerSecond + output.frames) * output.width * output.height) / 1024)
