import { inflateSync } from "node:zlib"
import { describe, expect, it, vi } from "@effect/vitest"
import { Effect } from "effect"
import { encode } from "../../../src/sandbox/video/encode.ts"
import { Renderer } from "../../../src/sandbox/video/Renderer.ts"
import type { Scene } from "../../../src/sandbox/video/scene.ts"
import { sizeOf } from "../../../src/videos/geometry.ts"
import { readMp4 } from "./boxes.ts"

const scene = (fields: Partial<Scene> = {}): Scene => ({
  width: 160,
  height: 90,
  frames: 6,
  framesPerSecond: 24,
  seed: 7,
  prompt: "a cat",
  watermark: false,
  lastFrame: false,
  ...fields
})
const bytesOf = async (fields: Partial<Scene> = {}) => Buffer.from((await encode(scene(fields))).video).toString("hex")

describe("a rendered clip", () => {
  it.each(
    ["480p", "720p", "1080p"].flatMap((resolution) =>
      ["16:9", "4:3", "1:1", "3:4", "9:16", "21:9"].map((ratio) => [resolution, ratio] as const)
    )
  )("has exactly the pixels of %s at %s", async (resolution, ratio) => {
    const size = sizeOf(resolution, ratio)
    const { video } = await encode(scene({ ...size, frames: 2 }))
    expect(readMp4(video)).toMatchObject({ ...size, frames: 2, codec: "avc1" })
  })

  it.each([29, 57, 96, 120])("lasts %i frames at 24 a second", async (frames) => {
    const { video } = await encode(scene({ frames }))
    const { frames: count, seconds } = readMp4(video)
    expect(count).toBe(frames)
    expect(seconds).toBeCloseTo(frames / 24, 2)
  })

  it("has the same bytes for the same scene, and others for another seed, prompt or watermark", async () => {
    const first = await bytesOf()
    // The container's clock counts seconds.
    const now = vi.spyOn(Date, "now").mockReturnValue(Date.now() + 90_000)
    expect(await bytesOf()).toBe(first)
    now.mockRestore()
    expect(await bytesOf({ seed: 8 })).not.toBe(first)
    expect(await bytesOf({ prompt: "a dog" })).not.toBe(first)
    expect(await bytesOf({ watermark: true })).not.toBe(first)
  })

  it("moves", async () => {
    const { lastFrame: early } = await encode(scene({ frames: 2, lastFrame: true }))
    const { lastFrame: late } = await encode(scene({ frames: 24, lastFrame: true }))
    expect(pixels(early)).not.toEqual(pixels(late))
  })

  it("gives its last frame as a PNG of the same size, without the watermark", async () => {
    const { lastFrame } = await encode(scene({ lastFrame: true }))
    const { lastFrame: marked } = await encode(scene({ lastFrame: true, watermark: true }))
    const bytes = Buffer.from(lastFrame ?? [])
    expect([bytes.readUInt32BE(16), bytes.readUInt32BE(20)]).toEqual([160, 90])
    expect(pixels(lastFrame).length).toBe((160 * 3 + 1) * 90)
    expect(marked).toEqual(lastFrame)
  })

  it.each(["", " ", "x".repeat(10_000), "words ".repeat(2_000), "東京の猫 🐈", "a\u0000b\n\tc"])(
    "can be made of any prompt %#",
    async (prompt) => {
      expect(readMp4((await encode(scene({ prompt }))).video).frames).toBe(6)
    }
  )

  it.each([0, 1, 2 ** 31, 2 ** 32 - 1])("can be made of seed %i", async (seed) => {
    expect(readMp4((await encode(scene({ seed }))).video).frames).toBe(6)
  })
})

describe("the renderer's thread", () => {
  it.live("renders what the encoder renders, while this thread goes on", () =>
    Effect.gen(function* () {
      const renderer = yield* Renderer
      let turns = 0
      const ticking = setInterval(() => turns++, 5)
      const clip = yield* renderer.render(scene({ ...sizeOf("480p", "16:9"), frames: 48, lastFrame: true }))
      clearInterval(ticking)
      expect(readMp4(clip.video)).toMatchObject({ width: 864, height: 496, frames: 48 })
      expect(clip.lastFrame?.length).toBeGreaterThan(0)
      expect(turns).toBeGreaterThan(5)
    }).pipe(Effect.provide(Renderer.Default))
  )

  it.live("says that it failed", () =>
    Effect.gen(function* () {
      const renderer = yield* Renderer
      const failure = yield* Effect.flip(renderer.render(scene({ width: 0 })))
      expect(failure._tag).toBe("RenderFailed")
      expect(readMp4((yield* renderer.render(scene())).video).frames).toBe(6)
    }).pipe(Effect.provide(Renderer.Default))
  )
})

const pixels = (png: Uint8Array | null): Buffer => {
  const bytes = Buffer.from(png ?? [])
  const at = bytes.indexOf("IDAT")
  return inflateSync(bytes.subarray(at + 4, at + 4 + bytes.readUInt32BE(at - 4)))
}
