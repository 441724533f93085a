import { Either } from "effect"
import { describe, expect, it } from "vitest"
import { headerText, mirroredIn, mirrorHeaders } from "../../src/mcp/mirrored.ts"

const mirror = (properties: object, more: object = {}) => mirroredIn({ type: "object", properties, ...more })
const at = (type: unknown, header: unknown = "A") => ({ type, "x-mcp-header": header })

describe("arguments in headers", () => {
  it("stand where properties alone lead, at strings, integers and booleans", () => {
    const found = mirror({ a: at("string"), b: { type: "object", properties: { c: at("boolean", "C") } } })
    expect(Either.getOrThrow(found)).toEqual([
      { header: "A", path: ["a"], type: "string" },
      { header: "C", path: ["b", "c"], type: "boolean" }
    ])
  })

  it.each([
    ["a number", mirror({ a: at("number") })],
    ["an object", mirror({ a: at("object") })],
    ["no type", mirror({ a: at(undefined) })],
    ["several types", mirror({ a: at(["string", "null"]) })],
    ["a name twice", mirror({ a: at("string", "X"), b: at("string", "x") })],
    ["no name", mirror({ a: at("string", "") })],
    ["a name of two words", mirror({ a: at("string", "a b") })],
    ["a line end", mirror({ a: at("string", "a\r\nHost: b") })],
    ["a name that is none", mirror({ a: at("string", 1) })],
    ["the schema itself", mirroredIn({ type: "object", "x-mcp-header": "A" })],
    ["a list's items", mirror({ a: { type: "array", items: at("string") } })],
    ["an alternative", mirror({ a: { anyOf: [at("string")] } })],
    ["an alternative's properties", mirror({ a: { anyOf: [{ properties: { b: at("string") } }] } })],
    ["a definition", mirror({}, { $defs: { a: at("string") } })],
    ["a pattern", mirror({}, { patternProperties: { a: at("string") } })],
    ["too many", mirror(Object.fromEntries(Array.from({ length: 33 }, (_, i) => [`p${i}`, at("string", `H${i}`)])))]
  ])("break the rule at %s", (_, found) => {
    expect(Either.isLeft(found)).toBe(true)
  })

  it("are not meant by a property or a value of that name", () => {
    const found = mirror({
      "x-mcp-header": { type: "string" },
      a: { type: "string", default: { "x-mcp-header": "A" } }
    })
    expect(Either.getOrThrow(found)).toEqual([])
  })

  it("are left out if they are absent, null, or of another type", () => {
    const mirrored = [
      { header: "A", path: ["a"], type: "string" },
      { header: "B", path: ["b"], type: "integer" },
      { header: "C", path: ["c", "d"], type: "boolean" }
    ] as const
    expect(mirrorHeaders(mirrored, { a: null, b: 1.5, c: "text" })).toEqual({})
    expect(mirrorHeaders(mirrored, { a: "x", b: -7, c: { d: true } })).toEqual({
      "Mcp-Param-A": "x",
      "Mcp-Param-B": "-7",
      "Mcp-Param-C": "true"
    })
    expect(mirrorHeaders([{ header: "A", path: ["constructor"], type: "string" }], {})).toEqual({})
  })

  it.each([
    ["plain text", "plain text"],
    ["", ""],
    [" padded", "=?base64?IHBhZGRlZA==?="],
    ["a\r\nHost: b", "=?base64?YQ0KSG9zdDogYg==?="],
    ["tab\t", "=?base64?dGFiCQ==?="],
    ["ü", "=?base64?w7w=?="],
    ["=?base64?YQ==?=", "=?base64?PT9iYXNlNjQ/WVE9PT89?="]
  ])("%j is written as %s", (text, written) => {
    expect(headerText(text)).toBe(written)
  })
})
