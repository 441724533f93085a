import fc from "fast-check"
import { describe, expect, it } from "@effect/vitest"
import { boundaryOf, FormParser } from "../../../src/http/form/FormParser.ts"
import type { FormEvent } from "../../../src/http/form/FormParser.ts"

const boundary = "--a-boundary--"

/** The events for a body in chunks of these lengths, with the pieces of a part's content joined. */
const read = (body: string | Buffer, lengths: ReadonlyArray<number> = [], of = boundary) => {
  const parser = new FormParser(of)
  const bytes = Buffer.from(body)
  const parts: Array<unknown> = []
  let content = ""
  const take = (event: FormEvent) => {
    if (event.type === "data") content += event.bytes.toString("latin1")
    else if (event.type === "part") parts.push(event.head)
    else if (event.type === "malformed") parts.push(event.message)
    else {
      parts.push(content)
      content = ""
    }
  }
  let at = 0
  for (const length of [...lengths, bytes.length]) {
    for (const event of parser.push(bytes.subarray(at, at + length))) take(event)
    at += length
  }
  return { parts, isOver: parser.isOver, left: content }
}

const field = (name: string, value: string) =>
  `--${boundary}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`
const end = `--${boundary}--\r\n`
const head = (name: string, fileName?: string, mediaType = "") => ({ name, fileName, mediaType })

describe("a form", () => {
  it("is split into fields and files", () => {
    const file = `--${boundary}\r\nContent-Disposition: form-data; name=file; filename="a \\"b\\"; name=x.png"\r\nContent-Type: image/PNG; a=b\r\n\r\n\0\r\n--\xff\r\n`
    expect(
      read(`${field("prompt", "a cat")}${field("empty", "")}${Buffer.from(file, "latin1").toString("latin1")}${end}`)
    ).toMatchObject({
      parts: [
        head("prompt"),
        "a cat",
        head("empty"),
        "",
        head("file", 'a "b"; name=x.png', "image/png"),
        expect.any(String)
      ],
      isOver: true
    })
  })

  it("may have text before its first boundary and after its last, and spaces behind a boundary", () => {
    const body = `preamble\r\n--${boundary} \t\r\ncontent-disposition: form-data; name="a"\r\n\r\n1\r\n${end}epilogue --${boundary}`
    expect(read(body)).toEqual({ parts: [head("a"), "1"], isOver: true, left: "" })
  })

  it("has the same parts however it is cut into chunks", () => {
    const isContent = (text: string) => !`${text}\r\n`.includes(`\r\n--${boundary}`)
    const nearly = fc.constantFrom("\r\n--", `\r\n--${boundary.slice(0, -1)}`, "\r", "\n", "--", boundary, "x")
    const values = fc.array(
      fc
        .array(nearly, { maxLength: 6 })
        .map((pieces) => pieces.join(""))
        .filter(isContent),
      { maxLength: 4 }
    )
    const lengths = fc.array(fc.integer({ min: 0, max: 30 }), { maxLength: 60 })
    fc.assert(
      fc.property(values, lengths, (texts, cuts) => {
        const body = texts.map((text) => field("f", text)).join("") + end
        expect(read(body, cuts)).toEqual({ parts: texts.flatMap((text) => [head("f"), text]), isOver: true, left: "" })
      }),
      { numRuns: 300 }
    )
  })

  it.each([
    ["no name", `--${boundary}\r\ncontent-disposition: form-data\r\n\r\nx\r\n${end}`, "no name"],
    ["a name with a control character", field("a\tb", "x") + end, "no name"],
    ["no disposition", `--${boundary}\r\ncontent-type: text/plain\r\n\r\nx\r\n${end}`, "no `content-disposition"],
    [
      "base64",
      `--${boundary}\r\ncontent-disposition: form-data; name=a\r\ncontent-transfer-encoding: base64\r\n\r\nx\r\n${end}`,
      "content-transfer-encoding"
    ],
    ["a line without a colon", `--${boundary}\r\nx\r\n\r\nx\r\n${end}`, "without a colon"],
    ["text behind a boundary", `--${boundary}x\r\n\r\nx\r\n${end}`, "followed by other text"],
    ["endless header lines", `--${boundary}\r\n${"a: b\r\n".repeat(2_000)}`, "longer than 8192 bytes"]
  ])("is refused with %s", (_, body, reason) => {
    expect(read(body).parts).toEqual([expect.stringContaining(reason)])
    expect(
      read(
        body,
        Array.from({ length: 300 }, () => 7)
      ).parts
    ).toEqual([expect.stringContaining(reason)])
  })

  it("takes a time linear in its bytes, whatever they are", () => {
    const hostile = [`\r\n--${boundary.slice(0, -1)}`, "\r\n", "-", `${"a".repeat(69)}\r\n--${"a".repeat(68)}`]
    const timeOf = (unit: string, bytes: number, of: string) => {
      const body = Buffer.from(field("f", unit.repeat(bytes / unit.length)).replaceAll(boundary, of))
      const begun = process.cpuUsage()
      const parser = new FormParser(of)
      for (let at = 0; at < body.length; at += 2_048) parser.push(body.subarray(at, at + 2_048))
      return process.cpuUsage(begun).user / 1_000
    }
    const least = (unit: string, bytes: number, of: string) =>
      Math.min(...Array.from({ length: 4 }, () => timeOf(unit, bytes, of)))
    for (const unit of hostile) {
      // In the processor's time. Eight times the bytes: 64 times as long, if it were quadratic.
      const of = unit.startsWith("a") ? "a".repeat(70) : boundary
      expect(least(unit, 8_000_000, of) / Math.max(1, least(unit, 1_000_000, of))).toBeLessThan(32)
    }
  })
})

describe("a form's content type", () => {
  it.each([
    ["multipart/form-data; boundary=abc", "abc"],
    ['Multipart/Form-Data; charset=utf-8; boundary="a b"', "a b"],
    ["multipart/form-data", null],
    [`multipart/form-data; boundary=${"a".repeat(71)}`, null],
    ['multipart/form-data; boundary="a\u00e9"', null],
    ["multipart/form-dataX; boundary=abc", undefined],
    ["application/json", undefined],
    [null, undefined]
  ])("%s has the boundary %s", (type, expected) => {
    expect(boundaryOf(type)).toBe(expected)
  })
})
