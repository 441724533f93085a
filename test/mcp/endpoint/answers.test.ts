import { describe, expect, it } from "@effect/vitest"
import { called, failed, toolsListed } from "../../../src/mcp/endpoint/answers.ts"

const legacy = { id: 1, era: "legacy" } as const
const modern = { id: 1, era: "modern" } as const
const info = { "io.modelcontextprotocol/serverInfo": { name: "model-gateway", version: expect.any(String) } }
const content = [{ type: "text", text: "a" }]

describe("a list", () => {
  const tools = [{ name: "a", tool: { description: undefined, inputSchema: { type: "object" }, annotations: {} } }]
  const listed = [{ name: "a", inputSchema: { type: "object" }, annotations: {} }]

  it("may be kept for a minute, by its client alone", () => {
    expect(toolsListed(modern, tools).body?.result).toEqual({
      resultType: "complete",
      tools: listed,
      ttlMs: 60_000,
      cacheScope: "private",
      _meta: info
    })
  })

  it("has none of that for older clients", () => {
    expect(toolsListed(legacy, tools).body?.result).toEqual({ tools: listed })
  })
})

describe("a call's result", () => {
  it("passes as it came, in the form of the client's revision", () => {
    const result = { resultType: "complete", content, structuredContent: { a: 1 }, isError: true, _meta: { x: 1 } }
    expect(called(legacy, { parts: [], result }).body?.result).toEqual({
      content,
      structuredContent: { a: 1 },
      isError: true,
      _meta: { x: 1 }
    })
    expect(called(modern, { parts: [], result: { content, _meta: { x: 1 } } }).body?.result).toEqual({
      resultType: "complete",
      content,
      _meta: { x: 1, ...info }
    })
  })

  it("has content, which clients require, where the server left it out", () => {
    const { body } = called(legacy, { parts: [], result: { structuredContent: { a: 1 } } })
    expect(body?.result).toEqual({ content: [], structuredContent: { a: 1 } })
  })

  it("is an error for the model if there is none", () => {
    const parts = [{ type: "text", text: "The tool's server failed: it did not answer within 1 s." } as const]
    expect(called(legacy, { parts })).toEqual(failed(legacy, parts[0]!.text))
    expect(called(legacy, { parts }).body?.result).toEqual({ content: parts, isError: true })
  })
})
