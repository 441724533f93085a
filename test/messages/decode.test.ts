import { describe, expect, it } from "@effect/vitest"
import { run } from "./machine.ts"
import { conversation, itemsOf } from "./request.ts"
import { finished, text } from "./blocks.ts"

const user = (...content: ReadonlyArray<unknown>) => [{ type: "message", role: "user", content }]
const png = { type: "base64", media_type: "image/png", data: "aGk=" }
const imagePart = { type: "image", source: { type: "base64", mediaType: "image/png", data: "aGk=" }, detail: "auto" }

describe("messages", () => {
  it("may be a string", () => {
    expect(conversation({ messages: "hello" }).items).toEqual(user(text("hello")))
  })

  it("keep their order and their roles, system text among them", () => {
    const messages = [
      { role: "user", content: "a" },
      { role: "system", content: "b" },
      { role: "assistant", content: [text("c")] }
    ]
    expect(conversation({ messages }).items).toEqual([
      { type: "message", role: "user", content: [text("a")] },
      { type: "message", role: "system", content: [text("b")] },
      { type: "message", role: "assistant", content: [text("c")] }
    ])
  })

  it("have system text before them, without its empty parts", () => {
    expect(conversation({ system: "be brief" }).system).toEqual(["be brief"])
    expect(conversation({ system: [text("a"), text(""), { text: "b" }] }).system).toEqual(["a", "b"])
  })
})

describe("a summary of the provider's", () => {
  const summary = { type: "compaction", content: "The note says 4711.", encrypted_content: "x" }
  const asked = (block: object) => ({
    messages: [
      { role: "user", content: "a" },
      { role: "assistant", content: [text("b"), block, text("c")] },
      { role: "user", content: "d" }
    ]
  })

  it("stands for what is before it", () => {
    expect(conversation(asked(summary)).items).toEqual([
      ...user(text("Summary of the conversation so far:\n\nThe note says 4711.")),
      { type: "message", role: "assistant", content: [text("c")] },
      ...user(text("d"))
    ])
    expect(conversation(asked(summary))).not.toHaveProperty("unknownBytes")
  })

  it("without text is no part of the conversation", () => {
    const block = { ...summary, content: null }
    expect(conversation(asked(block)).items).toHaveLength(3)
    expect(conversation(asked(block))).toHaveProperty("unknownBytes")
  })
})

describe("blocks", () => {
  it("text, with a cache breakpoint", () => {
    expect(itemsOf([text("a"), { ...text("b"), cache_control: { type: "ephemeral" } }])).toEqual(
      user(text("a"), { ...text("b"), cacheMark: {} })
    )
  })

  it("image, from base64, an address or a file's id", () => {
    expect(
      itemsOf([
        { type: "image", source: png },
        { type: "image", source: { type: "url", url: "https://e.com/a.png" } },
        { type: "image", source: { type: "file", file_id: "file_1" } }
      ])
    ).toEqual(
      user(
        imagePart,
        { type: "image", source: { type: "url", url: "https://e.com/a.png" }, detail: "auto" },
        { type: "image", source: { type: "file", id: "file_1" }, detail: "auto" }
      )
    )
  })

  it("document, from base64, plain text or blocks, with its context before it", () => {
    expect(
      itemsOf([
        { type: "document", title: "T", source: { type: "base64", media_type: "application/pdf", data: "aGk=" } },
        { type: "document", context: "old", source: { type: "text", media_type: "text/plain", data: "plain" } },
        {
          type: "document",
          source: { type: "content", content: [text("x"), { type: "image", source: png }, text("y")] }
        },
        { type: "document", source: { type: "content", content: "whole" }, citations: { enabled: true } }
      ])
    ).toEqual(
      user(
        { type: "document", source: { type: "base64", mediaType: "application/pdf", data: "aGk=" }, name: "T" },
        text("old"),
        { type: "document", source: { type: "text", mediaType: "text/plain", text: "plain" }, name: undefined },
        { type: "document", source: { type: "text", mediaType: "text/plain", text: "x\ny" }, name: undefined },
        imagePart,
        { type: "document", source: { type: "text", mediaType: "text/plain", text: "whole" }, name: undefined }
      )
    )
  })

  it("file and file_data, handled by their media type", () => {
    const csv = { type: "document", source: { type: "base64", mediaType: "text/csv", data: "aGk=" }, name: undefined }
    expect(
      itemsOf([
        { type: "file", source: png },
        { type: "file", source: { type: "base64", media_type: "text/csv", data: "aGk=" } },
        { type: "file", source: { type: "url", url: "https://e.com/a.JPG?x=1" } },
        { type: "file", source: { type: "url", url: "https://e.com/a", media_type: "application/pdf" } },
        { type: "file_data", media_type: "image/png", data: "aGk=" },
        { type: "file_data", media_type: "text/csv", data: "aGk=" }
      ])
    ).toEqual(
      user(
        imagePart,
        csv,
        { type: "image", source: { type: "url", url: "https://e.com/a.JPG?x=1" }, detail: "auto" },
        { type: "document", source: { type: "url", url: "https://e.com/a" }, name: undefined },
        imagePart,
        csv
      )
    )
  })

  it("search_result, as a document that says where it comes from", () => {
    expect(
      itemsOf([{ type: "search_result", source: "https://e.com", title: "E", content: [text("one"), text("two")] }])
    ).toEqual(
      user({
        type: "document",
        source: { type: "text", mediaType: "text/plain", text: "Source: https://e.com\n\none\ntwo" },
        name: "E"
      })
    )
  })

  it("tool_use and tool_result, as items of their own between the texts", () => {
    const messages = [
      { role: "user", content: "weather?" },
      {
        role: "assistant",
        content: [
          text("looking"),
          { type: "tool_use", id: "t1", name: "f", input: { city: "Paris" } },
          { type: "tool_use", id: "t2", name: "f", input: {} }
        ]
      },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "t1", content: "sunny" },
          {
            type: "tool_result",
            tool_use_id: "t2",
            is_error: true,
            content: [text("no"), { type: "image", source: png }]
          },
          text("and?")
        ]
      }
    ]
    expect(conversation({ messages }).items.slice(1)).toEqual([
      { type: "message", role: "assistant", content: [text("looking")] },
      { type: "tool-call", callId: "t1", name: "f", arguments: '{"city":"Paris"}', kind: "function" },
      { type: "tool-call", callId: "t2", name: "f", arguments: "{}", kind: "function" },
      { type: "tool-result", callId: "t1", content: [text("sunny")], isError: false },
      { type: "tool-result", callId: "t2", content: [text("no"), imagePart], isError: true },
      ...user(text("and?"))
    ])
  })

  it("thinking keeps an upstream's signature and drops ours", () => {
    const [ours] = run([{ type: "reasoning-delta", text: "because" }, finished]).state.message.content
    const origin = { by: "anthropic" }
    expect(
      itemsOf(
        [{ type: "thinking", thinking: "hm", signature: "c2ln" }, ours, { type: "redacted_thinking", data: "xyz" }],
        "assistant"
      )
    ).toEqual([
      { type: "reasoning", text: "hm", signature: "c2ln", redacted: undefined, origin },
      { type: "reasoning", text: "because", signature: undefined, redacted: undefined },
      { type: "reasoning", text: "", signature: undefined, redacted: "xyz", origin }
    ])
  })

  it("thinking that was not shown comes back out of our signature", () => {
    const { content } = run([{ type: "reasoning-delta", text: "because" }, finished], { hideThinking: true }).state
      .message
    expect(itemsOf(content, "assistant")).toEqual([
      { type: "reasoning", text: "because", signature: undefined, redacted: undefined }
    ])
  })
})

describe("the rest of a request", () => {
  it("thinking", () => {
    const reasoning = (thinking: object | undefined) => conversation({ thinking }).reasoning
    const left = { effort: undefined, budgetTokens: undefined }
    expect(reasoning(undefined)).toEqual({ ...left, enabled: undefined, summary: undefined })
    expect(reasoning({ type: "disabled" })).toMatchObject({ enabled: false })
    expect(reasoning({ type: "enabled", budget_tokens: 2000 })).toEqual({
      enabled: true,
      effort: undefined,
      budgetTokens: 2000,
      summary: "auto"
    })
    expect(reasoning({ type: "adaptive", display: "omitted" })).toEqual({ ...left, enabled: true, summary: undefined })
    expect(reasoning({ type: "adaptive", display: "updates" })).toEqual(reasoning({ type: "adaptive" }))
    expect(reasoning({ type: "between_tools" })).toMatchObject({ enabled: true })
  })

  it("sampling, bounds, format and the end user", () => {
    const schema = { type: "object" }
    expect(
      conversation({
        max_tokens: 77,
        temperature: 0.5,
        top_p: 0.9,
        top_k: 5,
        stop_sequences: ["END"],
        metadata: { user_id: "u" },
        output_config: { effort: "high", format: { type: "json_schema", schema } }
      })
    ).toMatchObject({
      maxOutputTokens: 77,
      sampling: { temperature: 0.5, topP: 0.9, topK: 5 },
      stopSequences: ["END"],
      endUser: "u",
      reasoning: { effort: "high" },
      format: { type: "json-schema", schema },
      truncation: "disabled"
    })
    expect(conversation({ output_format: { type: "json_schema", schema } }).format).toMatchObject({ schema })
    expect(conversation({}).format).toEqual({ type: "text" })
  })
})
