import { describe, expect, it } from "@effect/vitest"
import fc from "fast-check"
import { usualVideoBounds } from "../../src/upstreams/videos/VideoBounds.ts"
import { readFlags } from "../../src/videos/promptFlags.ts"

const read = (prompt: string) => readFlags(prompt, usualVideoBounds)

describe("flags behind a prompt", () => {
  it("reads both spellings of every flag off the end", () => {
    expect(read("a cat --rs 480p --rt 9:16 --dur 6 --frames 57 --fps 24 --seed 11 --cf true --wm false")).toEqual({
      prompt: "a cat",
      flags: {
        resolution: "480p",
        ratio: "9:16",
        duration: 6,
        frames: 57,
        seed: 11,
        cameraFixed: true,
        watermark: false
      }
    })
    expect(
      read(
        "a cat --resolution 480p --ratio 9:16 --duration -1 --framespersecond 24 --camerafixed false --watermark true"
      )
    ).toEqual({
      prompt: "a cat",
      flags: { resolution: "480p", ratio: "9:16", duration: -1, cameraFixed: false, watermark: true }
    })
  })

  it("leaves in the prompt what is unknown or not allowed", () => {
    expect(read("a cat --dur 99 --seed 5 --style noir")).toEqual({
      prompt: "a cat --dur 99 --style noir",
      flags: { seed: 5 }
    })
    expect(read("a cat --dur 99")).toEqual({ prompt: "a cat --dur 99", flags: {} })
    expect(read("a cat --fps 30")).toEqual({ prompt: "a cat --fps 30", flags: {} })
    expect(read("a cat --rs 4k")).toEqual({ prompt: "a cat --rs 4k", flags: {} })
  })

  it("reads only what stands at the end", () => {
    expect(read("a cat --seed 5 runs")).toEqual({ prompt: "a cat --seed 5 runs", flags: {} })
  })

  it("lets the last of two equal flags count, and may be all there is", () => {
    expect(read("a cat --seed 5 --seed 6")).toEqual({ prompt: "a cat", flags: { seed: 6 } })
    expect(read("--seed 5")).toEqual({ prompt: "", flags: { seed: 5 } })
    expect(read("a cat --fps 24")).toEqual({ prompt: "a cat", flags: {} })
  })

  it("never changes a text without flags", () => {
    fc.assert(
      fc.property(fc.string(), (words) => {
        fc.pre(!words.includes("--"))
        expect(read(words)).toEqual({ prompt: words, flags: {} })
      })
    )
  })

  it("takes back off what it was given, whatever the prompt", () => {
    fc.assert(
      fc.property(fc.string(), fc.integer({ min: 4, max: 15 }), fc.nat(), (words, duration, seed) => {
        fc.pre(!words.includes("--"))
        const { flags, prompt } = read(`${words} --dur ${duration} --seed ${seed}`)
        expect(flags).toEqual({ duration, seed })
        expect(prompt).toBe(words.trim())
      })
    )
  })
})
