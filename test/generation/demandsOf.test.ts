import { describe, expect, it } from "@effect/vitest"
import { demandsOf } from "../../src/generation/demandsOf.ts"

const calls = (body: object, bound?: "max_tool_calls" | "max_uses") =>
  demandsOf(body, bound).map(({ mostCalls }) => mostCalls)

describe("the most calls of a hosted tool", () => {
  it.each([-1000, -1, 0, 0.5, 1e300, Number.NaN, "3", null, [2]])("%j is no bound", (most) => {
    expect(calls({ tools: [{ type: "image_generation" }], max_tool_calls: most }, "max_tool_calls")).toEqual([
      undefined
    ])
    expect(calls({ tools: [{ type: "web_search", max_uses: most }] }, "max_uses")).toEqual([undefined])
  })

  it("is the bound of the request's own dialect: no upstream heeds another's", () => {
    const body = { tools: [{ type: "image_generation", max_uses: 1 }], max_tool_calls: 2 }
    expect(calls(body, "max_tool_calls")).toEqual([2])
    expect(calls(body, "max_uses")).toEqual([1])
    expect(calls(body)).toEqual([undefined])
  })
})

describe("code that filters what searches find", () => {
  it("costs nothing beside them", () => {
    const code = { type: "code_execution_20250825" }
    expect(demandsOf({ tools: [code, { type: "web_fetch_20260209" }] })).toEqual([])
    expect(demandsOf({ tools: [code, { type: "web_fetch_20250910" }] })).toMatchObject([{ of: "code_execution" }])
  })

  it("is looked for once a list", () => {
    let reads = 0
    const counted = { get: () => (reads++, "code_execution_20250825"), enumerable: true }
    const tools = Array.from({ length: 1000 }, () => Object.defineProperty({}, "type", counted))
    expect(demandsOf({ tools })).toHaveLength(1000)
    expect(reads).toBeLessThan(10_000)
  })
})

describe("a tier, speed or place", () => {
  it.each([
    [{ service_tier: "priority" }, "service_tier"],
    [{ serviceTier: "priority" }, "serviceTier"],
    [{ extra_body: { service_tier: "priority" } }, "extra_body.service_tier"]
  ])("is asked for by %j", (body, param) => {
    expect(demandsOf(body)).toMatchObject([{ of: "service_tier", param, value: "priority" }])
  })

  it.each([["priority"], { a: 1 }, 1, true, null])("is no %j", (value) => {
    expect(demandsOf({ service_tier: value, speed: value, inference_geo: value, extra_body: value })).toEqual([])
  })
})
