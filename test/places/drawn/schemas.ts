import * as fc from "fast-check"
import type { Body } from "../pieces.ts"
import { few } from "./drawn.ts"

const keys = fc.constantFrom("city", "days", "a", "b_2", "list", "$type", "with space")

const leaf: fc.Arbitrary<Body> = fc.oneof(
  fc.constantFrom<Array<Body>>(
    { type: "string" },
    { type: "integer" },
    { type: "number", description: "A number." },
    { type: "boolean", default: false },
    { type: "null" },
    { type: ["string", "null"] },
    { type: ["string", "integer", "null"] },
    { type: "string", enum: ["a", "b"] },
    { enum: ["a", 1, null] },
    { const: "x" },
    { type: "string", format: "date-time", minLength: 1, maxLength: 9, pattern: "^a+$" },
    { type: "integer", minimum: 0, exclusiveMaximum: 10, multipleOf: 2 },
    { type: "array" },
    { type: "object" },
    { type: "array", items: { type: "string" }, minItems: 1, maxItems: 3, uniqueItems: true },
    { $ref: "#/$defs/node" },
    {}
  )
)

const inner = fc.letrec<{ any: Body; object: Body }>((tie) => ({
  any: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    leaf,
    tie("object"),
    fc.record({ type: fc.constant("array"), items: tie("any") }),
    fc.record({ anyOf: fc.array(tie("any"), { minLength: 1, maxLength: 3 }) }),
    fc.record({ oneOf: fc.array(tie("any"), { minLength: 1, maxLength: 2 }) }),
    fc.record({ allOf: fc.array(tie("any"), { minLength: 1, maxLength: 2 }) })
  ),
  object: fc
    .tuple(
      fc.dictionary(keys, tie("any"), { maxKeys: 3 }),
      fc.boolean(),
      fc.constantFrom<Array<Body>>(
        {},
        { additionalProperties: false },
        { additionalProperties: { type: "string" } },
        { additionalProperties: true }
      )
    )
    .map(([properties, needsAll, more]) => ({
      type: "object",
      properties,
      ...(needsAll && { required: Object.keys(properties) }),
      ...more
    }))
})).object

const withDefs = (schema: Body): Body =>
  JSON.stringify(schema).includes("#/$defs/node")
    ? { ...schema, $defs: { node: { type: "object", properties: { next: { type: "string" } } } } }
    : schema

const annotations = few({
  title: fc.constant("Arguments"),
  description: fc.constant("What it takes."),
  $schema: fc.constant("http://json-schema.org/draft-07/schema#"),
  $id: fc.constant("https://example.com/a.json"),
  examples: fc.constant([{}])
})

/** Of an object, as SDKs make them. */
export const objectSchema = fc.tuple(inner, annotations).map(([schema, more]) => withDefs({ ...schema, ...more }))

/** Of a tool's arguments, as callers and MCP servers write them. */
export const toolSchema = fc.oneof(
  { weight: 4, arbitrary: objectSchema },
  {
    weight: 1,
    arbitrary: fc.constantFrom<Array<Body>>(
      { type: "object" },
      {},
      { type: ["object", "null"], properties: { a: { type: "string" } } },
      { properties: { a: { type: "string" } } },
      { type: "object", properties: {}, required: [] },
      { anyOf: [{ type: "object", properties: { a: { type: "string" } } }, { type: "null" }] },
      { type: "object", oneOf: [{ properties: { a: { type: "string" } } }, { properties: { b: { type: "string" } } }] },
      { type: "object", allOf: [{ properties: { a: { type: "string" } } }, { required: ["a"] }] },
      { $ref: "#/$defs/args", $defs: { args: { type: "object", properties: { a: { type: "string" } } } } }
    )
  }
)

const closed = fc.letrec<{ any: Body; object: Body }>((tie) => ({
  any: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.constantFrom<Array<Body>>(
      { type: "string" },
      { type: "integer" },
      { type: ["string", "null"] },
      { type: "string", enum: ["a", "b"] },
      { type: "boolean", description: "True." }
    ),
    tie("object"),
    fc.record({ type: fc.constant("array"), items: tie("any") }),
    fc.record({ anyOf: fc.array(tie("any"), { minLength: 1, maxLength: 3 }) })
  ),
  object: fc.dictionary(keys, tie("any"), { minKeys: 1, maxKeys: 3 }).map((properties) => ({
    type: "object",
    properties,
    required: Object.keys(properties),
    additionalProperties: false
  }))
})).object

/** One that the model must follow: closed and whole, as every provider wants it. */
export const strictSchema = closed
