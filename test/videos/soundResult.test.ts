import { describe, expect, it } from "@effect/vitest"
import { videoTokens } from "../../src/videos/geometry.ts"
import { soundResult } from "../../src/videos/soundResult.ts"
import type { VideoResult } from "../../src/upstreams/videos/VideoUpstream.ts"
import { job } from "./videoJob.ts"

const { settings } = job
const tokens = videoTokens(settings)
const told = (more: Partial<VideoResult>): VideoResult => ({ videoUrl: "https://example.com/a.mp4", ...more })
const usage = (completionTokens: number, toolUsage?: Record<string, unknown>) => ({
  completionTokens,
  totalTokens: completionTokens,
  toolUsage
})

describe("a video's result", () => {
  it("is kept where its numbers can be", () => {
    for (const count of [0, tokens, videoTokens({ ...settings, frames: settings.frames + 24 })]) {
      const result = told({ usage: usage(count), duration: 4, seed: -1, framesPerSecond: 24, extra: { a: 1 } })
      expect(soundResult(settings, result)).toEqual({ result, isDoubted: false })
    }
  })

  it("loses a usage that can't be, which is counted by the settings then", () => {
    for (const wrong of [-5, 1.5, 1e300, 9e15, Number.NaN, Infinity, 1_000 * tokens]) {
      expect(soundResult(settings, told({ usage: usage(wrong), seed: 7 }))).toEqual({
        result: told({ seed: 7 }),
        isDoubted: true
      })
    }
    for (const searches of [-1, 0.5, "many", 1e9]) {
      const { isDoubted, result } = soundResult(settings, told({ usage: usage(tokens, { web_search: searches }) }))
      expect([searches, isDoubted, result.usage]).toEqual([searches, true, undefined])
    }
  })

  it("loses words that are none, and endless fields", () => {
    const words = { resolution: "2k", ratio: "21:9", serviceTier: "flex", extra: { a: 1 } }
    expect(soundResult(settings, told(words)).result).toEqual(told(words))
    const wrong = { resolution: "1000000000000000000p", ratio: "a".repeat(99), serviceTier: "<b>" }
    for (const resolution of [wrong.resolution, "<b>", ""]) {
      const { result } = soundResult(settings, told({ ...wrong, resolution, extra: { a: "a".repeat(70_000) } }))
      expect(result).toEqual(told({}))
    }
  })

  it("is what was asked for: a second more at most", () => {
    const asked = settings.frames / 24
    for (const [more, isDoubted] of [
      [{ duration: asked + 1 }, false],
      [{ duration: asked + 2 }, true],
      [{ usage: usage(2 * tokens) }, true]
    ] as const) {
      expect([more, soundResult(settings, told(more)).isDoubted]).toEqual([more, isDoubted])
    }
    // The tokens of input videos count too.
    const withVideo = { ...settings, inputVideoSeconds: 15 }
    const most = videoTokens(settings, 15)
    expect(soundResult(withVideo, told({ usage: usage(most) })).isDoubted).toBe(false)
    expect(soundResult(withVideo, told({ usage: usage(2 * most) })).isDoubted).toBe(true)
    // So do their seconds, as far as they are billed.
    for (const [asked, inputVideoSeconds, counted] of [
      [withVideo, 15, 15],
      [withVideo, 400, 15],
      [withVideo, -1, 15],
      [settings, 3, 0]
    ] as const) {
      const { isDoubted, result } = soundResult(asked, told({ inputVideoSeconds }))
      expect([result.inputVideoSeconds, isDoubted]).toEqual([counted, counted !== inputVideoSeconds])
    }
  })

  it("of an open length is kept up to the longest that the model makes, and no further", () => {
    const open = { ...settings, frames: 720, isOpenLength: true as const }
    // The upstream counts the first frame too.
    const made = (seconds: number) =>
      told({ duration: seconds, usage: usage(videoTokens({ ...open, frames: 24 * seconds + 1 })) })
    for (const seconds of [4, 10, 30]) {
      expect(soundResult(open, made(seconds))).toEqual({ result: made(seconds), isDoubted: false })
    }
    for (const seconds of [32, 60, 120]) expect(soundResult(open, made(seconds)).isDoubted).toBe(true)
    expect(soundResult(open, told({ usage: usage(4 * videoTokens(open)) })).isDoubted).toBe(true)
  })

  it("loses a length that can't be, and with it what it was said to use", () => {
    for (const more of [{ duration: -4 }, { duration: 1e9 }, { frames: 1e300 }, { frames: -1 }]) {
      expect(soundResult(settings, told({ ...more, usage: usage(tokens) }))).toEqual({
        result: told({}),
        isDoubted: true
      })
    }
  })
})
