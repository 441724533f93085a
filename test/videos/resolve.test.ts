import { describe, expect, it } from "@effect/vitest"
import { Either } from "effect"
import fc from "fast-check"
import { secondsFrom } from "../../src/upstreams/videos/VideoBounds.ts"
import { nearestRatio, sizeOf, videoTokens } from "../../src/videos/geometry.ts"
import { imageSize } from "../../src/videos/imageSize.ts"
import { resolve } from "../../src/videos/resolve.ts"
import type { VideoLimits } from "../../src/videos/bounds.ts"
import { image, limits, png, request, text } from "./requests.ts"

const random = () => 4_000_000_000
const settle = (fields: Record<string, unknown> = {}, more: Partial<VideoLimits> = {}) =>
  Either.map(resolve(request(fields), { ...limits, ...more }, random), ({ settings }) => settings)
const settled = (fields: Record<string, unknown> = {}) => Either.getOrThrow(settle(fields))

describe("settling a request", () => {
  it("fills in the defaults", () => {
    expect(settled()).toEqual({
      resolution: "720p",
      ratio: "16:9",
      width: 1280,
      height: 720,
      frames: 120,
      byFrames: false,
      seed: 4_000_000_000,
      generateAudio: true,
      watermark: false,
      cameraFixed: false,
      returnLastFrame: false,
      draft: false,
      priority: 0,
      serviceTier: "default",
      webSearch: false
    })
  })

  it("takes the usual length that the model makes where none is given, and what is given as it is", () => {
    const seconds = [4, 8, 12]
    const at = (fields: Record<string, unknown>) =>
      Either.mapBoth(settle(fields, { seconds, defaultSeconds: 4 }), {
        onLeft: ({ message }) => message,
        onRight: ({ frames, isOpenLength }) => [frames / 24, isOpenLength]
      })
    expect(at({})).toEqual(Either.right([4, undefined]))
    expect(at({ duration: 8 })).toEqual(Either.right([8, undefined]))
    expect(at({ duration: 5 })).toEqual(
      Either.left("duration: expected 4, 8 or 12 seconds, or -1, for seedance; got 5")
    )
    // The seed picks what the model can't choose, so that the hold is exact.
    expect([0, 1, 2].map((seed) => at({ duration: -1, seed }))).toEqual(
      seconds.map((one) => Either.right([one, undefined]))
    )
    expect(at({ frames: 289 })).toEqual(Either.left("frames: expected at most 288 for seedance; got 289"))
  })

  it.each([
    ["by -1", { duration: -1 }, false],
    ["by a flag", { content: [text("a cat --dur -1")] }, false],
    ["by leaving it out", {}, true],
    ["by a draft that is known elsewhere", { content: [{ type: "draft_task", draft_task: { id: "cgt-1" } }] }, false]
  ])("leaves the length open where the model chooses it %s, with its longest as the bound", (_, fields, chooses) => {
    const more = {
      isPassthrough: true,
      seconds: secondsFrom(4, 30),
      choosesSeconds: true,
      defaultSeconds: chooses ? -1 : 5
    }
    expect(Either.getOrThrow(settle(fields, more))).toMatchObject({ frames: 720, byFrames: false, isOpenLength: true })
    const given = Either.getOrThrow(settle({ ...fields, duration: 7 }, more))
    expect([given.frames, given.isOpenLength]).toEqual([168, undefined])
    expect(Either.getOrThrow(settle({ ...fields, frames: 29 }, more)).isOpenLength).toBeUndefined()
  })

  it("lets frames beat duration, and the body beat the flags", () => {
    expect(settled({ frames: 29, duration: 10 })).toMatchObject({ frames: 29, byFrames: true })
    const flagged = { content: [text("a cat --dur 7 --frames 33 --seed 5 --ratio 1:1 --rs 480p --wm true")] }
    expect(settled(flagged)).toMatchObject({ frames: 33, byFrames: true, seed: 5, width: 640, watermark: true })
    expect(
      settled({ ...flagged, duration: 4, seed: 9, ratio: "9:16", resolution: "720p", watermark: false })
    ).toMatchObject({ frames: 96, byFrames: false, seed: 9, width: 720, height: 1280, watermark: false })
  })

  it("takes the flags out of the prompt and joins the texts in order", () => {
    const content = [text("a cat --seed 5"), text("runs --seed 6")]
    const made = Either.getOrThrow(resolve(request({ content }), limits, random))
    expect(made.prompt).toBe("a cat\nruns")
    expect(made.settings.seed).toBe(6)
  })

  it("refuses flags with no prompt", () => {
    expect(Either.isLeft(settle({ content: [text("--seed 5")] }))).toBe(true)
  })

  it("follows the first image whose size it can read", () => {
    expect(settled({ content: [image("first_frame", png(900, 1600))] }).ratio).toBe("9:16")
    expect(settled({ content: [image("reference_image"), image("reference_image", png(2100, 900))] }).ratio).toBe(
      "21:9"
    )
    expect(settled({ content: [image("first_frame", png(900, 1600))], ratio: "1:1" }).ratio).toBe("1:1")
  })

  it("handles 3:3 as 3:4 and echoes it", () => {
    expect(settled({ ratio: "3:3" })).toMatchObject({ ratio: "3:3", width: 834, height: 1112 })
  })

  it("names the resolutions that the model offers", () => {
    expect(Either.mapLeft(settle({ resolution: "4k" }), ({ message }) => message)).toEqual(
      Either.left('resolution: expected one of 480p, 720p, 1080p for seedance; got "4k"')
    )
    expect(Either.isRight(settle({ resolution: "4k" }, { resolutions: ["1080p", "4k"] }))).toBe(true)
  })

  it.each([
    [["480p", "1080p", "4k"], "480p"],
    [["768p", "2k"], "768p"],
    [["1080p", "4k"], "1080p"]
  ])("takes of %j the resolution nearest to 720p where none is given", (resolutions, nearest) => {
    expect(Either.getOrThrow(settle({}, { resolutions })).resolution).toBe(nearest)
  })

  it("keeps to the model's ratios", () => {
    const ratios = ["9:16", "1:1"]
    expect(Either.mapLeft(settle({ ratio: "21:9" }, { ratios }), ({ message }) => message)).toEqual(
      Either.left("ratio: expected one of adaptive, 9:16, 1:1 for seedance; got 21:9")
    )
    expect(Either.getOrThrow(settle({}, { ratios })).ratio).toBe("9:16")
    const content = [image("first_frame", png(2100, 900))]
    expect(Either.getOrThrow(settle({ content }, { ratios })).ratio).toBe("1:1")
  })

  it("always settles on real values within their bounds", () => {
    fc.assert(
      fc.property(fc.nat(0xffffffff), (seed) => {
        const { settings } = Either.getOrThrow(resolve(request({ seed: -1, ratio: "adaptive" }), limits, () => seed))
        expect(settings.seed).toBe(seed)
        expect(settings.ratio).not.toBe("adaptive")
      })
    )
  })
})

describe("geometry", () => {
  it("finds each ratio's own size nearest to itself", () => {
    for (const resolution of ["480p", "720p", "1080p", "4k"]) {
      for (const ratio of ["16:9", "4:3", "1:1", "3:4", "9:16", "21:9"]) {
        expect(nearestRatio(sizeOf(resolution, ratio))).toBe(ratio)
      }
    }
  })

  it("has even sides everywhere, as H.264 needs", () => {
    for (const resolution of ["480p", "720p", "1080p", "4k"]) {
      for (const ratio of ["16:9", "4:3", "1:1", "3:4", "9:16", "21:9"]) {
        const { height, width } = sizeOf(resolution, ratio)
        expect([width % 2, height % 2]).toEqual([0, 0])
      }
    }
  })

  it("scales sizes that it does not know", () => {
    expect(sizeOf("768p", "16:9")).toEqual({ width: 1366, height: 768 })
    expect(sizeOf("2k", "9:16")).toEqual({ width: 1440, height: 2560 })
    expect(sizeOf("huge", "1:1")).toEqual({ width: 1440, height: 1440 })
  })

  it("counts 108,000 tokens for five seconds of 720p at 16:9", () => {
    expect(videoTokens({ ...sizeOf("720p", "16:9"), frames: 120 })).toBe(108_000)
    expect(videoTokens({ ...sizeOf("720p", "16:9"), frames: 120 }, 5)).toBe(216_000)
  })

  it("reads an image's size from its first bytes", () => {
    expect(imageSize(png(640, 480))).toMatchObject({ width: 640, height: 480 })
    const jpeg = Buffer.from("ffd8ffe000104a46494600010100000100010000ffc00011080200030003012200", "hex")
    expect(imageSize(`data:image/jpeg;base64,${jpeg.toString("base64")}`)).toMatchObject({ width: 768, height: 512 })
    const gif = Buffer.from("474946383961800240010000", "hex")
    expect(imageSize(`data:image/gif;base64,${gif.toString("base64")}`)).toMatchObject({ width: 640, height: 320 })
    expect(imageSize("https://example.com/a.png")).toBeUndefined()
    expect(imageSize("data:image/png;base64,AAAA")).toBeUndefined()
  })

  it("reads arbitrary bytes without failing", () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 64 }), (bytes) => {
        for (const head of ["", "ffd8", "89504e47", "474946", "424d", "52494646000000005745425056503858"]) {
          const all = Buffer.concat([Buffer.from(head, "hex"), bytes])
          imageSize(`data:image/png;base64,${all.toString("base64")}`)
        }
      })
    )
  })
})
