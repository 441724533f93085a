/* oxlint-disable typescript/no-explicit-any -- a JSON Schema and what it describes can be anything */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { sample as made } from "../../src/sandbox/sample/sample.ts"

type Schema = Record<string, any>

const sample = (schema: Schema, text: string) => made(schema, text).value

/** What is wrong with a value, by the keywords that the generated schemas use. */
const faults = (schema: Schema, value: any, at = "$"): ReadonlyArray<string> => {
  if (schema.const !== undefined) return value === schema.const ? [] : [`${at}: not the constant`]
  if (schema.enum !== undefined) return schema.enum.includes(value) ? [] : [`${at}: not in the enum`]
  if (schema.anyOf !== undefined) {
    return schema.anyOf.some((one: Schema) => faults(one, value).length === 0) ? [] : [`${at}: none of anyOf`]
  }
  const types = [schema.type].flat()
  const wrong = (ok: boolean, what: string) => (ok ? [] : [`${at}: ${what} (${JSON.stringify(value)})`])
  if (types.includes("null") && value === null) return []
  switch (types.find((type) => type !== "null")) {
    case "object":
      return [
        ...wrong(typeof value === "object" && value !== null && !Array.isArray(value), "no object"),
        ...(schema.required ?? []).flatMap((name: string) => wrong(name in value, `without ${name}`)),
        ...Object.entries(value).flatMap(([name, one]) => faults(schema.properties[name], one, `${at}.${name}`))
      ]
    case "array":
      return [
        ...wrong(Array.isArray(value), "no array"),
        ...wrong(value.length >= (schema.minItems ?? 0) && value.length <= (schema.maxItems ?? Infinity), "length"),
        ...wrong(
          !schema.uniqueItems || new Set(value.map((one: any) => JSON.stringify(one))).size === value.length,
          "twins"
        ),
        ...value.flatMap((one: any, index: number) => faults(schema.items, one, `${at}[${index}]`))
      ]
    case "string":
      return [
        ...wrong(typeof value === "string", "no string"),
        ...wrong(value.length >= (schema.minLength ?? 0) && value.length <= (schema.maxLength ?? Infinity), "length")
      ]
    case "integer":
    case "number":
      return [
        ...wrong(typeof value === "number" && Number.isFinite(value), "no number"),
        ...wrong(schema.type !== "integer" || Number.isInteger(value), "not whole"),
        ...wrong(value >= (schema.minimum ?? -Infinity) && value <= (schema.maximum ?? Infinity), "range"),
        ...wrong(
          value > (schema.exclusiveMinimum ?? -Infinity) && value < (schema.exclusiveMaximum ?? Infinity),
          "range"
        ),
        ...wrong(schema.multipleOf === undefined || value % schema.multipleOf === 0, "no multiple")
      ]
    case "boolean":
      return wrong(typeof value === "boolean", "no boolean")
    default:
      return wrong(value === null, "not null")
  }
}

const range = (from: number, to: number) =>
  fc
    .tuple(fc.integer({ min: from, max: to }), fc.integer({ min: 0, max: 50 }))
    .map(([least, room]) => [least, least + room] as const)

const { schema: schemas } = fc.letrec<{ schema: Schema }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.oneof(
      fc.constantFrom<Schema>(
        { type: "string" },
        { type: "boolean" },
        { type: "null" },
        { type: "number" },
        { type: "integer" }
      ),
      fc.constantFrom<Schema>({ const: "fixed" }, { enum: ["red", "green", 3] }, { type: ["string", "null"] }),
      range(0, 300).map(([minLength, maxLength]): Schema => ({ type: "string", minLength, maxLength })),
      range(-1_000, 1_000).map(([minimum, maximum]): Schema => ({ type: "integer", minimum, maximum })),
      range(-1_000, 1_000).map(([minimum, maximum]): Schema => ({ type: "number", minimum, maximum: maximum + 0.5 })),
      range(-1_000, 1_000).map(([low, high]): Schema => ({
        type: "integer",
        exclusiveMinimum: low,
        exclusiveMaximum: high + 2
      })),
      range(-1_000, 1_000).map(([low, high]): Schema => ({
        type: "number",
        exclusiveMinimum: low,
        exclusiveMaximum: high + 1
      })),
      range(-1_000, 1_000).map(([minimum, high]): Schema => ({
        type: "integer",
        minimum,
        maximum: high + 7,
        multipleOf: 7
      }))
    ),
    fc
      .record({
        properties: fc.dictionary(fc.stringMatching(/^[a-z]{1,6}$/), tie("schema"), { maxKeys: 4 }),
        optional: fc.nat(3)
      })
      .map(({ optional, properties }) => ({
        type: "object",
        properties,
        required: Object.keys(properties).slice(optional),
        additionalProperties: false
      })),
    fc.record({ items: tie("schema"), room: range(0, 4) }).map(({ items, room: [minItems, maxItems] }) => ({
      type: "array",
      items,
      minItems,
      maxItems
    })),
    fc.tuple(tie("schema"), tie("schema")).map((anyOf) => ({ anyOf }))
  )
}))

describe("sample", () => {
  it("makes a value that its schema allows", () => {
    fc.assert(
      fc.property(
        schemas,
        fc.oneof(fc.lorem(), fc.constant("I want 3 green ones for Ada Lovelace, 12.5 at most")),
        (schema, text) => {
          expect(faults(schema, sample(schema, text))).toEqual([])
        }
      ),
      { numRuns: 500 }
    )
  })

  it("is null where no choice is more", () => {
    expect(sample({ anyOf: [{ type: "null" }, { type: "null" }] }, "Hello")).toBeNull()
    expect(sample({ oneOf: [{ type: "null" }] }, "Hello")).toBeNull()
    expect(sample({ anyOf: [{ type: "null" }, { type: "string" }] }, "Hello")).toBe("Hello")
  })

  it("makes elements that differ", () => {
    const kinds = [{ type: "string" }, { type: "integer", minimum: 1 }, { enum: ["a", "b", "c"] }]
    for (const items of [...kinds, { type: "string", format: "date" }]) {
      const schema = { type: "array", items, minItems: 3, maxItems: 3, uniqueItems: true }
      expect(new Set(sample(schema, "Hello") as ReadonlyArray<unknown>).size).toBe(3)
    }
  })

  it("knows the formats", () => {
    const formatted = (format: string) => String(sample({ type: "string", format }, "hi"))
    expect(formatted("date")).toMatch(/^\d{4}-\d\d-\d\d$/)
    expect(Number.isNaN(Date.parse(formatted("date-time")))).toBe(false)
    expect(formatted("time")).toMatch(/^\d\d:\d\d:\d\dZ$/)
    expect(formatted("email")).toMatch(/^[^@]+@[^@]+$/)
    expect(URL.canParse(formatted("uri"))).toBe(true)
    expect(formatted("uuid")).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    expect(formatted("ipv4")).toMatch(/^(\d{1,3}\.){3}\d{1,3}$/)
    expect(formatted("ipv6")).toContain(":")
    expect(formatted("hostname")).toMatch(/^[a-z0-9.]+$/)
    expect(formatted("duration")).toMatch(/^PT\d+H$/)
  })

  it("takes names, numbers and choices from the text", () => {
    const schema = {
      type: "object",
      properties: {
        city: { type: "string" },
        days: { type: "integer", minimum: 1, maximum: 14 },
        unit: { type: "string", enum: ["fahrenheit", "celsius"] },
        query: { type: "string" },
        nested: { type: "object", properties: { on: { type: "boolean" } }, required: ["on"] },
        tags: { type: "array", items: { type: "string" }, minItems: 2 }
      },
      required: ["city", "nested"]
    }
    const text = "Forecast for New York for 5 days in celsius"
    expect(sample(schema, text)).toEqual({
      city: "New York",
      days: 5,
      unit: "celsius",
      query: text,
      nested: { on: true },
      tags: ["New York", "New York 2"]
    })
  })

  it("follows references and folds allOf, default and const", () => {
    const schema = {
      $defs: { size: { enum: ["small", "large"] }, base: { properties: { id: { const: 7 } }, required: ["id"] } },
      allOf: [{ $ref: "#/$defs/base" }],
      type: "object",
      properties: { size: { $ref: "#/$defs/size" }, page: { type: "integer", default: 3 } },
      required: ["size"]
    }
    expect(sample(schema, "a large one")).toEqual({ id: 7, size: "large", page: 3 })
  })

  it("ends where a schema refers to itself", () => {
    const tree = {
      $defs: {
        node: {
          type: "object",
          properties: { name: { type: "string" }, children: { type: "array", items: { $ref: "#/$defs/node" } } },
          required: ["name", "children"]
        }
      },
      $ref: "#/$defs/node"
    }
    expect(JSON.stringify(sample(tree, "Hi")).length).toBeLessThan(1_000)
    const endless = {
      $defs: {
        pair: {
          type: "object",
          properties: { a: { $ref: "#/$defs/pair" }, b: { $ref: "#/$defs/pair" } },
          required: ["a", "b"]
        }
      },
      $ref: "#/$defs/pair"
    }
    expect(JSON.stringify(sample(endless, "Hi")).length).toBeLessThan(50_000)
    expect(sample({ $ref: "#" }, "Hi")).toBeDefined()
  })

  it("tries a pattern", () => {
    expect(sample({ type: "string", pattern: "^[A-Z]{3}-\\d{3}$" }, "order XYZ-042 please")).toBe("XYZ-042")
    expect(sample({ type: "string", pattern: "^\\d{5}$" }, "hi")).toBe("12345")
  })

  it("knows most of what patterns say, and takes its time to be over with none", () => {
    const matched = (pattern: string, text: string) => sample({ type: "string", pattern }, text)
    expect(matched("^(?:ab|cd)+[^x-z]?\\.$", "try cdab7. or not")).toBe("cdab7.")
    expect(matched("[\\w.]{2,}@(?<host>\\w+)", "to a@b and ada@home")).toBe("to a@b and ada@home")
    expect(matched("^\\S+@\\S+$", "to ada@home")).toBe("ada@home")
    const many = `${"a".repeat(60)}!`
    for (const endless of ["^(((a*)*)*)*b$", "^(a|a)*b$", "(?=a)", "^a{1,100000}b$"]) {
      expect(matched(endless, many)).toBe(many)
    }
  })
})

describe("a schema that asks for more than there are tokens", () => {
  const string = { type: "string" }
  const nested = (depth: number): Schema =>
    depth === 0 ? string : { type: "object", properties: { a: nested(depth - 1) }, required: ["a"] }
  it.each<readonly [string, Schema]>([
    ["minLength", { type: "string", minLength: 2_000_000_000 }],
    ["minItems", { type: "array", items: string, minItems: 100_000_000 }],
    ["nested minItems", { type: "array", minItems: 1_000, items: { type: "array", minItems: 1_000, items: string } }],
    ["lengths in many places", { type: "array", minItems: 100, items: { type: "string", minLength: 1_000_000 } }],
    [
      "what it refers to itself",
      { type: "object", properties: { a: { $ref: "#" }, b: { $ref: "#" } }, required: ["a", "b"] }
    ],
    ["nesting", nested(60)],
    ["a constant", { const: "x".repeat(1_000_000) }],
    ["a pattern and a length", { type: "string", pattern: "^x*$", minLength: 100_000_000 }]
  ])("is not met, and little is built: %s", (_, schema) => {
    const { isWhole, value } = made(schema, "Hi", 32_000)
    expect(isWhole).toBe(false)
    expect(JSON.stringify(value).length).toBeLessThan(300_000)
  })

  it("is met where the tokens suffice", () => {
    const { isWhole, value } = made({ type: "string", minLength: 100_000 }, "Hi", 32_000)
    expect(isWhole).toBe(true)
    expect(String(value).length).toBe(100_000)
    expect(made({ type: "array", items: { type: "integer" }, minItems: 2_000 }, "Hi", 32_000)).toMatchObject({
      isWhole: true
    })
  })
})
