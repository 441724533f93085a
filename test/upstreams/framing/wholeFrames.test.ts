import { describe, expect, it } from "@effect/vitest"
import fc from "fast-check"
import { SseOverflow } from "../../../src/upstreams/framing/sse.ts"
import { FrameNames, framesNamed, WholeFrames } from "../../../src/upstreams/framing/WholeFrames.ts"

const utf8 = new TextEncoder()
const text = (bytes: Uint8Array | undefined) => new TextDecoder().decode(bytes)
const pushed = (chunks: ReadonlyArray<Uint8Array>) => {
  const frames = new WholeFrames()
  return { given: chunks.map((chunk) => text(frames.push(chunk))), rest: text(frames.rest()) }
}

describe("whole frames", () => {
  it("are given as soon as they are whole, and only then", () => {
    const chunks = ["data: a\n", "\ndata: b\n\nda", "ta: c", "\n\n", "data: d\n"].map((chunk) => utf8.encode(chunk))
    expect(pushed(chunks)).toEqual({
      given: ["", "data: a\n\ndata: b\n\n", "", "data: c\n\n", ""],
      rest: "data: d\n"
    })
  })

  it("are the same bytes whatever the cut and the lines' ends, and never end inside a frame (property)", () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom("event: é", "data: {}", ": c", "id", "", ""), { maxLength: 30 }),
        fc.constantFrom("\n", "\r\n", "\r"),
        fc.array(fc.nat(), { maxLength: 20 }),
        (lines, newline, offsets) => {
          const bytes = utf8.encode([...lines, ""].join(newline))
          const cuts = [0, ...offsets.map((offset) => offset % (bytes.length + 1)), bytes.length].sort((a, b) => a - b)
          const { given, rest } = pushed(cuts.slice(1).map((end, index) => bytes.subarray(cuts[index], end)))
          const all = given.join("")
          expect(all + rest).toBe(text(bytes))
          expect(all).toBe(pushed([bytes]).given.join(""))
          expect(all === "" || all === newline || all.endsWith(newline + newline)).toBe(true)
        }
      ),
      { numRuns: 500 }
    )
  })

  it("hold a megabyte that comes byte by byte, and no more than they may", () => {
    const bytes = utf8.encode(`data: ${"x".repeat(1_048_576)}\n\n`)
    const frames = new WholeFrames()
    let given = 0
    for (let at = 0; at < bytes.length; at++) given += frames.push(bytes.subarray(at, at + 1))?.length ?? 0
    expect(given).toBe(bytes.length)
    expect(() => new WholeFrames(100).push(utf8.encode("x".repeat(101)))).toThrow(SseOverflow)
  })
})

describe("frames that are looked for", () => {
  const names = new FrameNames(["start", "message"])
  const found = (written: string) => {
    const bytes = utf8.encode(written)
    const places = framesNamed(names, bytes)
    return Array.from({ length: places.length / 2 }, (_, at) =>
      text(bytes.subarray(places[2 * at], places[2 * at + 1]))
    )
  }

  it("are those with the names, and those without one", () => {
    for (const newline of ["\n", "\r\n", "\r"]) {
      const frame = (...lines: ReadonlyArray<string>) => [...lines, "", ""].join(newline)
      const wanted = [
        frame("event: start", "data: 1"),
        frame("event:start", "data: 2"),
        frame("data: {}"),
        frame("data: 3", "event: start"),
        frame("event: other", "event: start", "data: 4"),
        frame("event:", "data: 5")
      ]
      const others = [
        frame("event: other", "data: event: start"),
        frame("event: stark", "data: 6"),
        frame(": event: start"),
        frame("event: start", "event: other"),
        newline
      ]
      expect(found(wanted.join(others.join("")))).toEqual(wanted)
      expect(found(others.join(""))).toEqual([])
    }
  })
})
