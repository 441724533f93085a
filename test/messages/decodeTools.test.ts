import { describe, expect, it } from "@effect/vitest"
import { run } from "./machine.ts"
import { conversation, itemsOf } from "./request.ts"
import { finished, text } from "./blocks.ts"

describe("a web search replayed", () => {
  const results = [{ url: "https://e.com", title: "E", text: "Grüße, 世界 🎉", pageAge: "May 1, 2025" }]
  const citation = { url: "https://e.com", title: "E", citedText: "Grüße", start: 2, end: 5 }

  it("is the search the model made, results and citations included", () => {
    const { content } = run([
      { type: "search-start", id: "srvtoolu_1", query: "q" },
      { type: "search-end", id: "srvtoolu_1", outcome: { type: "results", results } },
      { type: "text-delta", text: "Hello" },
      { type: "citation", citation },
      finished
    ]).state.message
    expect(itemsOf(content, "assistant")).toEqual([
      { type: "search", id: "srvtoolu_1", query: "q", outcome: { type: "results", results } },
      {
        type: "message",
        role: "assistant",
        content: [{ type: "text", text: "Hello", citations: [citation] }]
      }
    ])
  })

  it("keeps its error", () => {
    const { content } = run([
      { type: "search-start", id: "srvtoolu_1", query: "q" },
      { type: "search-end", id: "srvtoolu_1", outcome: { type: "error", code: "max_uses_exceeded" } },
      finished
    ]).state.message
    expect(itemsOf(content, "assistant")).toEqual([
      { type: "search", id: "srvtoolu_1", query: "q", outcome: { type: "error", code: "max_uses_exceeded" } }
    ])
  })

  it("from another provider keeps what can be read of it", () => {
    const content = [
      { type: "server_tool_use", id: "srvtoolu_9", name: "web_search", input: { query: "q" } },
      {
        type: "web_search_tool_result",
        tool_use_id: "srvtoolu_9",
        content: [
          { type: "web_search_result", url: "https://e.com", title: "E", encrypted_content: "EqgfCioI", page_age: null }
        ]
      },
      {
        ...text("Hello"),
        citations: [
          {
            type: "web_search_result_location",
            url: "https://e.com",
            title: "E",
            encrypted_index: "Eo8BCioI",
            cited_text: "e"
          },
          { type: "char_location", cited_text: "x", document_index: 0 }
        ]
      }
    ]
    expect(itemsOf(content, "assistant")).toEqual([
      {
        type: "search",
        id: "srvtoolu_9",
        query: "q",
        outcome: {
          type: "results",
          results: [{ url: "https://e.com", title: "E", text: "", sealed: "EqgfCioI", pageAge: null }]
        }
      },
      {
        type: "message",
        role: "assistant",
        content: [
          {
            ...text("Hello"),
            citations: [{ url: "https://e.com", title: "E", citedText: "e", start: 0, end: 5 }]
          }
        ]
      }
    ])
  })
})

describe("tools", () => {
  it("of the caller's own need no type", () => {
    const parameters = { type: "object", properties: { city: { type: "string" } } }
    expect(conversation({ tools: [{ name: "f", description: "d", input_schema: parameters }] }).tools).toEqual([
      { type: "function", name: "f", description: "d", parameters, strict: undefined }
    ])
  })

  for (const [type, name] of [
    ["bash_20250124", "bash"],
    ["text_editor_20250728", "str_replace_based_edit_tool"],
    ["computer_20990101", "computer"],
    ["memory_20250818", "memory"]
  ] as const) {
    it(`${type} is a function of the caller's`, () => {
      const [tool] = conversation({ tools: [{ type, name, display_width_px: 1024 }] }).tools
      expect(tool).toMatchObject({
        type: "function",
        name,
        description: expect.stringMatching(/.+/),
        parameters: { type: "object", properties: expect.objectContaining({}) }
      })
    })
  }

  it("web search keeps its limits, domains and place", () => {
    const [tool] = conversation({
      tools: [
        {
          type: "web_search_20250305",
          max_uses: 3,
          blocked_domains: ["e.com"],
          allowed_domains: [],
          user_location: { type: "approximate", city: "Berlin", country: "DE", timezone: "Europe/Berlin" }
        }
      ]
    }).tools
    expect(tool).toEqual({
      type: "search",
      name: "web_search",
      allowedDomains: undefined,
      blockedDomains: ["e.com"],
      maxUses: 3,
      contextSize: "medium",
      location: { city: "Berlin", region: undefined, country: "DE", timezone: "Europe/Berlin" }
    })
  })

  it("are chosen as asked", () => {
    const tools = [{ name: "f", input_schema: {} }]
    const chosen = (tool_choice: object | undefined) => {
      const { parallelToolCalls, toolChoice } = conversation({ tools, tool_choice })
      return [toolChoice, parallelToolCalls]
    }
    expect(chosen(undefined)).toEqual([{ type: "auto" }, true])
    expect(chosen({ type: "auto", disable_parallel_tool_use: true })).toEqual([{ type: "auto" }, false])
    expect(chosen({ type: "any" })).toEqual([{ type: "required", names: undefined }, true])
    expect(chosen({ type: "tool", name: "f", disable_parallel_tool_use: true })).toEqual([
      { type: "tool", name: "f" },
      false
    ])
    expect(chosen({ type: "none" })).toEqual([{ type: "none" }, true])
  })
})
