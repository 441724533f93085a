import { describe, expect, it } from "@effect/vitest"
import { openLength } from "../../src/videos/lengths.ts"

const ark = { isPassthrough: true }

describe("a length that the model chooses", () => {
  it.each([
    ["dreamina-seedance-2-5-260628"],
    ["doubao-seedance-2-5-260628"],
    ["bytedance/seedance-2.5"],
    ["seedance-v2.5"],
    ["seedance-pro-2-5"]
  ])("is up to 30 s of %s, which also chooses where none is given", (name) => {
    expect(openLength(ark, [name, "video"])).toEqual({ longestSeconds: 30, choosesLength: true })
    expect(openLength(ark, ["ep-20260628", name])).toEqual({ longestSeconds: 30, choosesLength: true })
  })

  it.each([["doubao-seedance-1-0-pro"], ["doubao-seedance-2-0-260128"], ["seedance-2-50"], ["seedance"]])(
    "is up to 15 s of %s, whose default is 5",
    (name) => {
      expect(openLength(ark, [name])).toEqual({ longestSeconds: 15, choosesLength: false })
    }
  )

  it("is one that the upstream makes where it speaks another protocol, whatever the model is called", () => {
    const sora = { isPassthrough: false, seconds: [4, 8, 12] }
    expect(openLength(sora, ["seedance-2-5"])).toEqual({ longestSeconds: 12, choosesLength: false })
    expect(openLength({ isPassthrough: false }, ["seedance-2-5"])).toEqual({ longestSeconds: 15, choosesLength: false })
  })
})
