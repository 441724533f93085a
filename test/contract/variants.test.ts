import { describe, expect, it } from "@effect/vitest"
import { JSONSchema, ParseResult, Schema } from "effect"
import { variants } from "../../src/contract/variants.ts"

const Text = Schema.Struct({ type: Schema.Literal("text"), text: Schema.String })
const Image = Schema.Struct({ type: Schema.optional(Schema.Literal("image")), url: Schema.String })
const Dated = Schema.Struct({ type: Schema.String, date: Schema.Number })
const Part = variants({ text: Text, image: Image }, { absent: "image", others: [[/^dated_/, Dated]] })

const issue = (input: unknown) => {
  const result = ParseResult.decodeUnknownEither(Schema.Array(Part))(input)
  if (result._tag === "Right") throw new Error("it passed")
  const [first] = ParseResult.ArrayFormatter.formatIssueSync(result.left)
  return `${first?.path.join(".")}: ${first?.message}`
}

describe("variants", () => {
  it("parses the member that `type` names, the one for none, and the one whose pattern fits", () => {
    const parts = [{ type: "text", text: "a" }, { url: "u" }, { type: "dated_1", date: 1 }] as const
    expect(Schema.decodeUnknownSync(Schema.Array(Part))(parts)).toEqual(parts)
    expect(Schema.encodeSync(Schema.Array(Part))(parts)).toEqual(parts)
  })

  it("points at the field of the member meant", () => {
    expect(issue([{ type: "text", text: 1 }])).toBe("0.text: Expected string, actual 1")
    expect(issue([{ url: "u" }, { type: "image" }])).toBe("1.url: is missing")
  })

  it("lists the types there are", () => {
    expect(issue([{ type: "sound" }])).toBe('0.type: Expected "text" | "image", actual "sound"')
    expect(issue([1])).toBe("0: Expected object, actual 1")
    expect(issue([{ type: "toString" }])).toContain("0.type")
  })

  it("shows every member in the JSON Schema", () => {
    expect(JSONSchema.make(Part)).toHaveProperty("anyOf.length", 3)
  })
})
