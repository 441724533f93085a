import { transformJSONSchema } from "@anthropic-ai/sdk/lib/transform-json-schema"
import { describe, expect, it } from "@effect/vitest"
import type { Conversation, FunctionTool } from "../../../src/generation/Conversation.ts"
import { lower as anthropic } from "../../../src/upstreams/protocols/anthropicMessages/request.ts"
import { providers } from "../../../src/upstreams/protocols/openaiChat/compatible.ts"
import { lower as chat } from "../../../src/upstreams/protocols/openaiChat/request.ts"
import { lower as responses } from "../../../src/upstreams/protocols/openaiResponses/request.ts"
import { conversation, weather } from "../conversations.ts"

const closed = (properties: object, required: ReadonlyArray<string> = Object.keys(properties)) => ({
  type: "object",
  properties,
  required,
  additionalProperties: false
})

/** As pydantic and zod write them. */
const schemas = {
  bounds: closed({ age: { type: "integer", minimum: 0, exclusiveMaximum: 150, description: "In years" } }),
  lengths: closed({ name: { type: "string", minLength: 1, maxLength: 80, pattern: "^[A-Z]" } }),
  lists: closed({ tags: { type: "array", items: { type: "string" }, minItems: 1, maxItems: 3 } }),
  many: closed({ tags: { type: "array", items: { type: "string", maxLength: 9 }, uniqueItems: true, minItems: 2 } }),
  variants: closed({ pet: { oneOf: [{ $ref: "#/$defs/Cat" }, { type: "null" }], title: "Pet" } }),
  formats: closed({ at: { type: "string", format: "date-time" }, id: { type: "string", format: "ulid" } }),
  literals: closed({ kind: { enum: ["a", "b"], type: "string" }, v: { const: 1, type: "integer" } }),
  maps: closed({ scores: { type: "object", additionalProperties: { type: "number" } } }),
  dialect: { $schema: "http://json-schema.org/draft-07/schema#", ...closed({ a: { type: "string" } }) },
  definitions: {
    ...closed({ cat: { $ref: "#/$defs/Cat" } }),
    $defs: { Cat: { type: "object", properties: { lives: { type: "integer", maximum: 9 } } } }
  }
}

const formatted = (schema: object, strict = true): Conversation =>
  conversation({
    format: { type: "json-schema", name: "answer", description: undefined, schema: { ...schema }, strict },
    formatParam: "response_format"
  })

const tool = (parameters: object, strict?: boolean): FunctionTool => ({
  ...weather,
  parameters: { ...parameters },
  strict
})

const claude = { model: "claude-sonnet-4-5", stream: false }
const gpt = { model: "gpt-5.1", stream: false }

describe("a schema that Claude is held to", () => {
  it.each(Object.entries(schemas))("%s: is what Anthropic's own client makes of it", (_, schema) => {
    const { adapted, body } = anthropic(formatted(schema), claude)
    const expected = transformJSONSchema({ ...schema })
    expect(body["output_config"]).toEqual({ format: { type: "json_schema", schema: expected } })
    const isLoosened = schema !== schemas.literals && schema !== schemas.dialect
    expect(adapted).toEqual(isLoosened ? ["response_format"] : [])
  })

  it("is a strict tool's too, and no other tool's", () => {
    const strict = anthropic(conversation({ tools: [tool(schemas.bounds, true)] }), claude)
    expect(strict.body["tools"]).toEqual([
      expect.objectContaining({ strict: true, input_schema: transformJSONSchema({ ...schemas.bounds }) })
    ])
    expect(strict.adapted).toEqual(["tools[].parameters"])
    const loose = anthropic(conversation({ tools: [tool(schemas.bounds)] }), claude)
    expect(loose.body["tools"]).toEqual([expect.objectContaining({ input_schema: schemas.bounds })])
    expect(loose.adapted).toEqual([])
  })

  it.each([
    ["more than 20 strict tools", 25, closed({ a: { type: "string" } }), 20],
    ["more than 24 optional properties", 4, closed({ a: {}, b: {}, c: {}, d: {}, e: {}, f: {}, g: {}, h: {} }, []), 3]
  ])("%s: those beyond are not strict", (_, count, schema, expected) => {
    const tools = Array.from({ length: count }, (_, at) => ({ ...tool(schema, true), name: `t${at}` }))
    const { adapted, body } = anthropic(conversation({ tools }), claude)
    const written: ReadonlyArray<{ strict?: true }> = Array.isArray(body["tools"]) ? body["tools"] : []
    expect(written.map(({ strict = false }) => strict)).toEqual(tools.map((_, at) => at < expected))
    expect(adapted).toEqual(["tools[].strict"])
  })
})

const either = {
  anyOf: [
    { type: "object", properties: { id: { type: "string" }, by: { type: "string" } }, required: ["id", "by"] },
    { type: "object", properties: { name: { type: "string" }, by: { type: "string" } }, required: ["name", "by"] }
  ]
}

describe("a tool whose schema is a combination", () => {
  const flat = {
    type: "object",
    properties: { id: { type: "string" }, name: { type: "string" }, by: { type: "string" } },
    required: ["by"],
    description: `{anyOf: ${JSON.stringify(either.anyOf)}}`
  }
  const asked = conversation({ tools: [tool(either)] })

  it.each([
    ["Claude", () => anthropic(asked, claude), [{ input_schema: flat }]],
    ["OpenAI's responses", () => responses(asked, gpt), [{ parameters: flat }]],
    ["OpenAI's chat", () => chat(asked, gpt, providers.openai), [{ function: { parameters: flat } }]]
  ])("%s gets all its properties, and the rule in words", (_, lowered, tools) => {
    const { adapted, body } = lowered()
    expect(body["tools"]).toMatchObject(tools)
    expect(JSON.stringify(body["tools"])).not.toContain('"anyOf":[')
    expect(adapted).toEqual(["tools[].parameters"])
  })

  it("vLLM gets it as it is", () => {
    const { adapted, body } = chat(asked, gpt, providers.vllm)
    expect(body["tools"]).toMatchObject([{ function: { parameters: either } }])
    expect(adapted).toEqual([])
  })
})

describe("a schema that is not complete", () => {
  const open = { type: "object", properties: { a: { type: "string" } } }

  it.each([
    ["OpenAI's responses", responses, undefined],
    ["OpenAI's chat", undefined, providers.openai],
    ["Groq", undefined, providers.groq]
  ] as const)("%s is not held to it", (_, lower, provider) => {
    const asked = formatted(open)
    const { adapted, body } = provider === undefined ? lower(asked, gpt) : chat(asked, gpt, provider)
    expect(JSON.stringify(body)).toContain('"strict":false')
    expect(adapted).toContain("response_format.strict")
    const complete = formatted(closed({ a: { type: "string" } }))
    const held = provider === undefined ? lower(complete, gpt) : chat(complete, gpt, provider)
    expect(JSON.stringify(held.body)).toContain('"strict":true')
    expect(held.adapted).toEqual([])
  })

  it("OpenAI is not held to it by a strict tool either", () => {
    const { adapted, body } = responses(conversation({ tools: [tool(open, true)] }), gpt)
    expect(body["tools"]).toMatchObject([{ strict: false, parameters: open }])
    expect(adapted).toEqual(["tools[].strict"])
  })
})

/** What each server does with what others refuse: as it is, or in words. */
const rows = [
  ["mistral", schemas.bounds, schemas.bounds],
  ["vllm", schemas.lengths, schemas.lengths],
  ["groq", schemas.lists, closed({ tags: { type: "array", items: { type: "string" } } })],
  ["gemini", schemas.bounds, closed({ age: { type: "integer", minimum: 0 } })],
  ["gemini", schemas.dialect, closed({ a: { type: "string" } })],
  ["llamacpp", schemas.lengths, closed({ name: { type: "string", minLength: 1, maxLength: 80 } })],
  ["llamacpp", closed({ a: { pattern: "^a$" } }), closed({ a: { pattern: "^a$" } })]
] as const

describe("what a chat server takes of a schema", () => {
  it.each(rows)("%s: %j", (name, schema, expected) => {
    const { adapted, body } = chat(formatted(schema), gpt, providers[name])
    const sent = JSON.parse(JSON.stringify(body)).response_format.json_schema.schema
    const plain = JSON.parse(JSON.stringify(expected))
    expect(sent).toMatchObject(plain)
    const isSame = JSON.stringify(sent) === JSON.stringify(plain)
    expect(adapted).toEqual(isSame ? [] : ["response_format"])
  })

  it.each([
    [
      "gemini",
      { type: "object", properties: { a: { type: "string" } }, $schema: "x", propertyNames: {} },
      "propertyNames"
    ],
    ["llamacpp", closed({ a: { type: "string", pattern: "a" } }), "pattern"]
  ] as const)("%s: of every tool's", (name, schema, word) => {
    const { adapted, body } = chat(conversation({ tools: [tool(schema)] }), gpt, providers[name])
    expect(JSON.stringify(body["tools"])).not.toContain(`"${word}":`)
    expect(JSON.stringify(body["tools"])).toContain(`{${word}: `)
    expect(adapted).toEqual(["tools[].parameters"])
  })
})
