import { describe, expect, it } from "@effect/vitest"
import fc from "fast-check"
import { SseOverflow, sseParser } from "../../../src/upstreams/framing/sse.ts"
import type { SseEvent } from "../../../src/upstreams/framing/sse.ts"

const utf8 = new TextEncoder()

const parse = (chunks: ReadonlyArray<Uint8Array>): Array<SseEvent> => {
  const parser = sseParser()
  return [...chunks.flatMap((chunk) => [...parser.push(chunk)]), ...parser.end()]
}

const whole = (text: string) => parse([utf8.encode(text)])

const cutAt = (bytes: Uint8Array, offsets: ReadonlyArray<number>): Array<Uint8Array> => {
  const cuts = [0, ...offsets, bytes.length].sort((a, b) => a - b)
  return cuts.slice(1).map((end, index) => bytes.subarray(cuts[index], end))
}

describe("sse", () => {
  it("reads events, names, comments, several data lines and every line ending", () => {
    expect(
      whole("\uFEFF: hello\nevent: a\ndata: 1\n\nid: 7\nretry: 3\ndata:2\r\ndata: 3\r\n\r\ndata\rdata:  x\r\r")
    ).toEqual([
      { event: "a", data: "1" },
      { event: "message", data: "2\n3" },
      { event: "message", data: "\n x" }
    ])
  })

  it("dispatches nothing for an event without data and forgets its name", () => {
    expect(whole("event: a\n\ndata: 1\n\n")).toEqual([{ event: "message", data: "1" }])
  })

  it("gives the last event although its blank line, or even its line's end, is missing", () => {
    expect(whole("data: 1\n\ndata: 2\n")).toEqual([
      { event: "message", data: "1" },
      { event: "message", data: "2" }
    ])
    expect(whole("data: [DONE]")).toEqual([{ event: "message", data: "[DONE]" }])
  })

  it("gives an event as soon as its blank line is there", () => {
    const parser = sseParser()
    expect(parser.push(utf8.encode("data: 1\r\n\r"))).toEqual([{ event: "message", data: "1" }])
    expect(parser.push(utf8.encode("\ndata: 2\n\n"))).toEqual([{ event: "message", data: "2" }])
  })

  it("reads an error in bare JSON behind the events, as Gemini ends a broken stream", () => {
    const error = '{\n  "error": {\n    "code": 503\n  }\n}'
    expect(whole(`data: 1\r\n\r\n${error.replaceAll("\n", "\r\n")}\r\n`)).toEqual([
      { event: "message", data: "1" },
      { event: "message", data: error }
    ])
    // A line inside an event that is no field stays ignored.
    expect(whole("data: 1\n{\ndata: 2\n\n")).toEqual([{ event: "message", data: "1\n2" }])
  })

  it("refuses an event beyond its bound, however it is cut", () => {
    const parser = sseParser(1_000)
    parser.push(utf8.encode(`data: ${"x".repeat(900)}\n\n`))
    parser.push(utf8.encode(`data: ${"x".repeat(900)}\n`))
    expect(() => parser.push(utf8.encode(`data: ${"x".repeat(200)}`))).toThrow(SseOverflow)
    expect(() => sseParser(1_000).push(utf8.encode(`data: ${"x".repeat(2_000)}\n\n`))).toThrow(SseOverflow)
  })

  it("reads the same events wherever the bytes are cut", () => {
    const text = 'event: a\r\ndata: {"t":"é漢🦊"}\r\n\r\n: ping\n\ndata: 1\rdata: 2\r\rdata: end\n\n'
    const bytes = utf8.encode(text)
    const expected = whole(text)
    for (let first = 0; first <= bytes.length; first++) {
      for (let second = first; second <= bytes.length; second++) {
        expect(parse(cutAt(bytes, [first, second]))).toEqual(expected)
      }
    }
    expect(parse(Array.from(bytes, (byte) => Uint8Array.of(byte)))).toEqual(expected)
  })

  it("reads any stream the same, whatever the chunks (property)", () => {
    const line = fc.oneof(
      fc.constantFrom("", ":", ": ping", "data", "data:", "event: x", "event:", "id: 1", "nonsense"),
      fc.fullUnicodeString().map((text) => `data: ${text.replaceAll(/[\r\n]/g, "")}`)
    )
    const ending = fc.constantFrom("\n", "\r", "\r\n", "\n\n", "\r\r", "\r\n\r\n")
    const stream = fc.array(fc.tuple(line, ending)).map((lines) => lines.flat().join(""))
    fc.assert(
      fc.property(stream, fc.array(fc.nat()), (text, offsets) => {
        const bytes = utf8.encode(text)
        const cuts = offsets.map((offset) => offset % (bytes.length + 1))
        expect(parse(cutAt(bytes, cuts))).toEqual(whole(text))
      }),
      { numRuns: 500 }
    )
  })

  it("reads an event of a megabyte byte by byte, in time that grows with its length", () => {
    const data = "é".repeat(500_000)
    const bytes = utf8.encode(`data: ${data}\n\n`)
    expect(parse([bytes])).toEqual([{ event: "message", data }])
    expect(parse(Array.from(bytes, (_, at) => bytes.subarray(at, at + 1)))).toEqual([{ event: "message", data }])
  })
})
