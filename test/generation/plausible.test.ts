import { describe, expect, it } from "@effect/vitest"
import type { Conversation } from "../../src/generation/Conversation.ts"
import { noUsage } from "../../src/generation/GenerationEvent.ts"
import type { Usage } from "../../src/generation/GenerationEvent.ts"
import { doubtOf, doubtOfStart } from "../../src/generation/plausible.ts"
import { conversation as bare, said } from "./conversations.ts"

const conversation = (more: Partial<Conversation> = {}) => bare({ items: [said("user", "Hello")], ...more })

/** Measures a usage; `counted` is the gateway's own count of the input, which fails the test where it must not be asked. */
const doubt = (
  usage: Partial<Usage>,
  more: Partial<Conversation> = {},
  known: { counted?: number; contextTokens?: number; hasMore?: boolean } = {}
) =>
  doubtOf(
    { ...noUsage, ...usage },
    {
      conversation: conversation(more),
      contextTokens: known.contextTokens,
      inputTokens: () => {
        if (known.counted === undefined) throw new Error("the input was counted")
        return known.counted
      },
      hasMore: () => known.hasMore === true
    }
  )

const url = (type: "image" | "document"): Conversation["items"] => [
  {
    type: "message",
    role: "user",
    content: [
      type === "image"
        ? { type, source: { type: "url", url: "https://example.com/a" }, detail: "auto" }
        : { type, source: { type: "file", id: "file_1" }, name: undefined }
    ]
  }
]
const search = (maxUses?: number): Pick<Conversation, "tools"> => ({
  tools: [
    {
      type: "search",
      name: "web_search",
      maxUses,
      allowedDomains: undefined,
      blockedDomains: undefined,
      contextSize: "medium",
      location: undefined
    }
  ]
})

describe("an upstream's usage", () => {
  it("is whole numbers of zero or more", () => {
    expect(doubt({})).toBeUndefined()
    for (const wrong of [Number.NaN, -1, 0.5, Infinity, 1e300, Number.MAX_SAFE_INTEGER + 1]) {
      for (const name of Object.keys(noUsage))
        expect([name, wrong, doubt({ [name]: wrong })]).toEqual([name, wrong, "number"])
    }
  })

  it("has no more input than four times what the gateway counts and a hundred thousand, which small ones need no count for", () => {
    expect(doubt({ inputTokens: 60_000, cacheReadTokens: 30_000, cacheWriteTokens: 10_000 })).toBeUndefined()
    expect(doubt({ inputTokens: 140_000 }, {}, { counted: 10_000 })).toBeUndefined()
    expect(doubt({ inputTokens: 100_001, cacheReadTokens: 40_000 }, {}, { counted: 10_000 })).toBe("input")
    expect(doubt({ inputTokens: 9e15 }, {}, { counted: 10_000 })).toBe("input")
  })

  it("has no more output than the request allows, else the model's context", () => {
    expect(doubt({ outputTokens: 200 }, { maxOutputTokens: 200 })).toBeUndefined()
    expect(doubt({ outputTokens: 201 }, { maxOutputTokens: 200 })).toBe("output")
    expect(doubt({ reasoningTokens: 201 }, { maxOutputTokens: 200 })).toBe("output")
    // A smaller bound than a dialect can say becomes its least.
    expect(doubt({ outputTokens: 16 }, { maxOutputTokens: 1 })).toBeUndefined()
    expect(doubt({ outputTokens: 32_000 }, {}, { contextTokens: 32_000 })).toBeUndefined()
    expect(doubt({ outputTokens: 32_001 }, {}, { contextTokens: 32_000 })).toBe("output")
    expect(doubt({ outputTokens: 2_000_000 })).toBe("output")
  })

  it("may have the model's context each round where the upstream adds uncountable input", () => {
    const context = { counted: 10, contextTokens: 200_000 }
    const much = { inputTokens: 1_500_000, outputTokens: 5_000 }
    expect(doubt(much, { maxOutputTokens: 4_000 }, context)).toBe("input")
    expect(doubt(much, { maxOutputTokens: 4_000, items: url("image") }, context)).toBeUndefined()
    expect(doubt(much, { maxOutputTokens: 4_000, items: url("document") }, context)).toBeUndefined()
    expect(doubt(much, { maxOutputTokens: 4_000 }, { ...context, hasMore: true })).toBeUndefined()
    expect(doubt(much, { maxOutputTokens: 4_000, ...search(20) }, context)).toBeUndefined()
    expect(doubt(much, { maxOutputTokens: 4_000, ...search(3) }, context)).toBe("input")
    expect(doubt({ inputTokens: 9e15 }, search(1e9), context)).toBe("input")
  })

  it("has no searches where none was possible, nor more than were allowed", () => {
    expect(doubt({ searches: 1 })).toBe("searches")
    expect(doubt({ searches: 1 }, {}, { hasMore: true })).toBeUndefined()
    expect(doubt({ searches: 3 }, search(3))).toBeUndefined()
    expect(doubt({ searches: 4 }, search(3))).toBe("searches")
    expect(doubt({ searches: 1_000 }, search())).toBe("searches")
  })

  it("has no more calls, and no longer generations besides, than can be", () => {
    const more = { hasMore: true }
    expect(doubt({ calls: { code_execution: 1_000 } }, {}, more)).toBeUndefined()
    expect(doubt({ calls: { code_execution: 9e15 } }, {}, more)).toBe("calls")
    const besides = (outputTokens: number) => ({ besides: [{ ...noUsage, outputTokens }] })
    expect(doubt(besides(1e6), {}, { ...more, contextTokens: 200_000 })).toBeUndefined()
    expect(doubt(besides(9e15), {}, { ...more, contextTokens: 200_000 })).toBe("output")
    expect(doubt(besides(1e6), {}, { contextTokens: 200_000 })).toBe("output")
    expect(doubt(besides(100_000), {}, { contextTokens: 200_000 })).toBeUndefined()
  })

  it("is measured by its input alone while the answer begins", () => {
    const asked = {
      conversation: conversation(),
      contextTokens: undefined,
      inputTokens: () => 10,
      hasMore: () => false
    }
    expect(doubtOfStart({ ...noUsage, outputTokens: Number.NaN }, asked)).toBeUndefined()
    expect(doubtOfStart({ ...noUsage, cacheReadTokens: -1 }, asked)).toBe("number")
    expect(doubtOfStart({ ...noUsage, inputTokens: 1e6 }, asked)).toBe("input")
  })
})
