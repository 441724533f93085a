import { describe, expect, it } from "@effect/vitest"
import { Either } from "effect"
import { decode } from "./requests.ts"

const ok = { model: "m", content: [{ type: "text", text: "a cat" }] }
const accepts = (fields: Record<string, unknown>) => Either.isRight(decode({ ...ok, ...fields }))

describe("the fields of a create", () => {
  it("takes the smallest request, and one with every field at its limits", () => {
    expect(accepts({})).toBe(true)
    expect(
      accepts({
        callback_url: "https://example.com/hook",
        return_last_frame: true,
        execution_expires_after: 3600,
        generate_audio: false,
        ratio: "3:3",
        resolution: "1080p",
        duration: 15,
        frames: 289,
        seed: 2 ** 32 - 1,
        watermark: true,
        tools: [{ type: "web_search" }],
        safety_identifier: "x".repeat(64),
        service_tier: "flex",
        draft: false,
        camera_fixed: true,
        priority: 9,
        something_else: { a: 1 }
      })
    ).toBe(true)
  })

  it("takes null for whatever may be absent", () => {
    const optional = ["callback_url", "return_last_frame", "execution_expires_after", "generate_audio", "ratio"]
    const more = ["resolution", "duration", "frames", "seed", "watermark", "tools", "safety_identifier", "priority"]
    for (const field of [...optional, ...more]) expect(accepts({ [field]: null }), field).toBe(true)
  })

  it.each([
    ["content", []],
    ["content", Array.from({ length: 65 }, () => ok.content[0])],
    ["content", "a cat"],
    ["content", [{ type: "text" }]],
    ["content", [{ type: "poem", text: "a cat" }]],
    ["content", [{ type: "image_url", image_url: "https://example.com/a.png" }]],
    ["content", [{ type: "image_url", image_url: { url: "https://example.com/a.png" }, role: "start" }]],
    ["model", 7],
    ["callback_url", "ftp://example.com"],
    ["callback_url", "http://"],
    ["callback_url", "example.com/hook"],
    ["return_last_frame", "yes"],
    ["execution_expires_after", 3599],
    ["execution_expires_after", 259_201],
    ["execution_expires_after", 3600.5],
    ["generate_audio", 1],
    ["ratio", "2:1"],
    ["resolution", 720],
    ["duration", -2],
    ["duration", 601],
    ["duration", 0],
    ["duration", 4.5],
    ["duration", "5"],
    ["frames", 28],
    ["frames", 25],
    ["frames", 30],
    ["frames", 290],
    ["frames", 293],
    ["seed", -2],
    ["seed", 2 ** 32],
    ["seed", 0.5],
    ["watermark", "no"],
    ["tools", [{ type: "function" }]],
    ["tools", {}],
    ["safety_identifier", "x".repeat(65)],
    ["priority", 10]
  ])("refuses %s: %j", (field, value) => {
    expect(accepts({ [field]: value })).toBe(false)
  })

  it("takes every frame count of the form 25 + 4n from 29 to 289, and every duration that some model may have", () => {
    for (let frames = 29; frames <= 289; frames += 4) expect(accepts({ frames })).toBe(true)
    for (const duration of [-1, 1, 4, 15, 30, 600]) expect(accepts({ duration })).toBe(true)
  })
})
