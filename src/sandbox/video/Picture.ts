import { glyph, glyphHeight, glyphWidth } from "./font.ts"

/** A colour in H.264's form: luma, and two chroma values around 128. */
export type Colour = readonly [y: number, u: number, v: number]

export const white: Colour = [235, 128, 128]

/** A picture in YUV 4:2:0: luma per pixel, chroma per four pixels. Both sides are even. */
export class Picture {
  readonly width: number
  readonly height: number
  readonly bytes: Uint8Array
  readonly #u: number
  readonly #v: number

  constructor(width: number, height: number) {
    this.width = width
    this.height = height
    this.#u = width * height
    this.#v = this.#u + this.#u / 4
    this.bytes = new Uint8Array(this.#v + this.#u / 4)
  }

  /** A picture with the same pixels. */
  copy(): Picture {
    const picture = new Picture(this.width, this.height)
    picture.bytes.set(this.bytes)
    return picture
  }

  /** A vertical gradient of luma in one hue. */
  shade([y, u, v]: Colour, fall: number) {
    for (let row = 0; row < this.height; row++) {
      this.bytes.fill(y - Math.round((fall * row) / this.height), row * this.width, (row + 1) * this.width)
    }
    this.bytes.fill(u, this.#u, this.#v)
    this.bytes.fill(v, this.#v)
  }

  /** A filled rectangle, clipped to the picture. */
  fill(left: number, top: number, width: number, height: number, [y, u, v]: Colour) {
    const x0 = Math.max(0, left)
    const x1 = Math.min(this.width, left + width)
    const y0 = Math.max(0, top)
    const y1 = Math.min(this.height, top + height)
    if (x0 >= x1) return
    for (let row = y0; row < y1; row++) this.bytes.fill(y, row * this.width + x0, row * this.width + x1)
    const half = this.width / 2
    for (let row = y0 >> 1; row < (y1 + 1) >> 1; row++) {
      this.bytes.fill(u, this.#u + row * half + (x0 >> 1), this.#u + row * half + ((x1 + 1) >> 1))
      this.bytes.fill(v, this.#v + row * half + (x0 >> 1), this.#v + row * half + ((x1 + 1) >> 1))
    }
  }

  /** A filled disc. */
  disc(centreX: number, centreY: number, radius: number, colour: Colour) {
    for (let row = -radius; row <= radius; row++) {
      const half = Math.floor(Math.sqrt(radius * radius - row * row))
      this.fill(centreX - half, centreY + row, 2 * half + 1, 1, colour)
    }
  }

  /** One line of text. `dot` is the size of a glyph's dot in pixels. */
  write(text: string, left: number, top: number, dot: number, colour: Colour) {
    let x = left
    for (const character of text) {
      for (const [row, bits] of glyph(character).entries()) {
        for (let column = 0; column < glyphWidth; column++) {
          if ((bits >> (glyphWidth - 1 - column)) & 1) this.fill(x + column * dot, top + row * dot, dot, dot, colour)
        }
      }
      x += (glyphWidth + 1) * dot
    }
  }

  /** RGB bytes of every pixel, row by row. */
  rgb(): Uint8Array {
    const { bytes, height, width } = this
    const pixels = new Uint8ClampedArray(width * height * 3)
    let at = 0
    for (let row = 0; row < height; row++) {
      for (let column = 0; column < width; column++) {
        const chroma = (row >> 1) * (width >> 1) + (column >> 1)
        const y = 1.164 * ((bytes[row * width + column] ?? 0) - 16)
        const u = (bytes[this.#u + chroma] ?? 128) - 128
        const v = (bytes[this.#v + chroma] ?? 128) - 128
        pixels[at++] = y + 1.596 * v
        pixels[at++] = y - 0.392 * u - 0.813 * v
        pixels[at++] = y + 2.017 * u
      }
    }
    return new Uint8Array(pixels.buffer)
  }
}

/** The width of a line of text in pixels. */
export const lineWidth = (characters: number, dot: number): number => (characters * (glyphWidth + 1) - 1) * dot
export const lineHeight = (dot: number): number => (glyphHeight + 3) * dot
