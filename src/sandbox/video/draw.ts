import { lineHeight, lineWidth, Picture, white } from "./Picture.ts"
import type { Colour } from "./Picture.ts"
import type { Scene } from "./scene.ts"

/** Draws a scene's frames. They share one picture, which the next call overwrites. */
export interface Drawing {
  /** The frame as the video shows it. */
  readonly frame: (index: number) => Picture
  /** The same frame without the watermark. */
  readonly clean: (index: number) => Picture
}

export const draw = (scene: Scene): Drawing => {
  const { height, width } = scene
  const background = new Picture(width, height)
  background.shade(hue(scene.seed, 96), 60)
  writePrompt(background, scene.prompt)
  const marked = background.copy()
  if (scene.watermark) writeWatermark(marked)

  const canvas = new Picture(width, height)
  const ball = hue(scene.seed + 90, 190)
  const radius = Math.round(Math.min(width, height) / 12)
  const path = bounce(scene, radius)
  const onto = (ground: Picture) => (index: number) => {
    canvas.bytes.set(ground.bytes)
    const { x, y } = path(index)
    canvas.disc(x, y, radius, ball)
    // The progress bar.
    const passed = Math.round((width * (index + 1)) / scene.frames)
    canvas.fill(0, height - Math.max(4, height >> 6), passed, height, white)
    return canvas
  }
  return { frame: onto(marked), clean: onto(background) }
}

const angle = (seed: number) => ((seed % 360) * Math.PI) / 180
/** A colour whose hue depends on the seed. */
const hue = (seed: number, y: number): Colour => [
  y,
  Math.round(128 + 60 * Math.cos(angle(seed))),
  Math.round(128 + 60 * Math.sin(angle(seed)))
]

/** The position of a ball whose start and direction depend on the seed, and which bounces off the sides. */
const bounce = (scene: Scene, radius: number) => {
  const bits = mix(scene.seed)
  const along = (from: number, speed: number, side: number) => {
    const room = Math.max(1, side - 2 * radius)
    const start = from % room
    return (index: number) => {
      const at = (start + Math.round((index * speed * side) / 1000)) % (2 * room)
      return radius + (at < room ? at : 2 * room - at)
    }
  }
  const x = along(bits & 0xffff, 4 + ((bits >>> 16) & 7), scene.width)
  const y = along((bits >>> 8) & 0xffff, 4 + ((bits >>> 24) & 7), scene.height)
  return (index: number) => ({ x: x(index), y: y(index) })
}

/** Separates the paths of neighbouring seeds. */
const mix = (seed: number): number => {
  const once = Math.imul(seed ^ (seed >>> 16), 0x45d9f3b)
  const twice = Math.imul(once ^ (once >>> 16), 0x45d9f3b)
  return (twice ^ (twice >>> 16)) >>> 0
}

/** Writes the prompt in the largest size that fits. A very long one ends with an ellipsis. */
const writePrompt = (picture: Picture, prompt: string) => {
  const margin = Math.round(picture.width / 16)
  const room = picture.width - 2 * margin
  const most = Math.max(2, Math.floor(Math.min(picture.width, picture.height) / 100))
  for (let dot = most; dot >= 1; dot--) {
    const columns = Math.max(1, Math.floor((room / dot + 1) / 6))
    const lines = wrap(prompt, columns)
    const fits = Math.floor((picture.height - 2 * margin) / lineHeight(dot))
    if (lines.length > fits && dot > 1) continue
    for (const [at, line] of lines.slice(0, fits).entries()) {
      const last = at === fits - 1 && lines.length > fits
      const text = last ? `${line.slice(0, columns - 3)}...` : line
      picture.write(text, margin, margin + at * lineHeight(dot), dot, white)
    }
    return
  }
}

/** Lines of at most `columns` characters, broken between words where possible. */
const wrap = (text: string, columns: number): ReadonlyArray<string> => {
  const lines: Array<string> = []
  let line = ""
  for (const word of text.split(/\s+/)) {
    let characters = Array.from(word)
    if (line !== "" && Array.from(line).length + 1 + characters.length > columns) {
      lines.push(line)
      line = ""
    }
    while (characters.length > columns) {
      lines.push(characters.slice(0, columns).join(""))
      characters = characters.slice(columns)
    }
    line = line === "" ? characters.join("") : `${line} ${characters.join("")}`
  }
  return line === "" ? lines : [...lines, line]
}

const writeWatermark = (picture: Picture) => {
  const text = "AI GENERATED"
  const dot = Math.max(2, Math.round(picture.width / 400))
  const left = picture.width - lineWidth(text.length, dot) - 4 * dot
  const top = picture.height - lineHeight(dot) - Math.max(4, picture.height >> 6) - 2 * dot
  picture.fill(left - 2 * dot, top - 2 * dot, picture.width, lineHeight(dot), [40, 128, 128])
  picture.write(text, left, top, dot, white)
}
