import { describe, expect, it } from "vitest"
import { partialJson } from "../../src/requests/transcript/partialJson.ts"
import { transcriptOf } from "../../src/requests/transcript/transcriptOf.ts"

const sse = (...events: ReadonlyArray<object>) =>
  events.map((event) => `event: e\ndata: ${JSON.stringify(event)}\n\n`).join("")
const turnsOf = (request: object, answer: object | string = {}) =>
  transcriptOf(JSON.stringify(request), typeof answer === "string" ? answer : JSON.stringify(answer))?.turns.map(
    ({ parts, role }) => [role, ...parts]
  )
const text = (of: string) => ({ kind: "text", text: of })
const call = { kind: "call", name: "weather", id: "c1", text: '{\n  "city": "Rome"\n}' }
const result = { kind: "result", id: "c1", isError: false, parts: [text("sunny")] }
const thought = { kind: "reasoning", text: "Hm." }

describe("recorded bodies as a conversation", () => {
  it("have messages with tools, reasoning and pictures of chat completions", () => {
    const arguments_ = '{"city":"Rome"}'
    const asked = {
      tools: [{ type: "function", function: { name: "weather" } }],
      messages: [
        { role: "system", content: "Be brief." },
        {
          role: "user",
          content: [
            { type: "text", text: "Here?" },
            { type: "image_url", image_url: { url: "https://a/b.png" } }
          ]
        },
        {
          role: "assistant",
          content: null,
          tool_calls: [{ id: "c1", function: { name: "weather", arguments: arguments_ } }]
        },
        { role: "tool", tool_call_id: "c1", content: "sunny" }
      ]
    }
    const before = [
      ["system", text("Be brief.")],
      ["user", text("Here?"), { kind: "image", text: "https://a/b.png" }],
      ["assistant", call],
      ["tool", result]
    ]
    const message = { role: "assistant", content: "Sun.", reasoning_content: "Hm." }
    expect(turnsOf(asked, { choices: [{ message }] })).toEqual([...before, ["assistant", thought, text("Sun.")]])
    const delta = (of: object) => ({ choices: [{ index: 0, delta: of }] })
    const called = (of: object) => delta({ tool_calls: [{ index: 0, ...of }] })
    const stream = sse(
      delta({ role: "assistant", reasoning_content: "Hm" }),
      delta({ reasoning_content: "." }),
      called({ id: "c1", function: { name: "weather", arguments: "" } }),
      called({ function: { arguments: '{"city":' } }),
      called({ function: { arguments: '"Rome"}' } })
    )
    expect(turnsOf(asked, `${stream}data: [DONE]\n\n`)).toEqual([...before, ["assistant", thought, call]])
    expect(transcriptOf(JSON.stringify(asked), "")?.tools).toEqual(["weather"])
  })

  it("have the blocks of messages", () => {
    const asked = {
      system: [{ type: "text", text: "Be brief." }],
      messages: [
        { role: "user", content: "Here?" },
        { role: "assistant", content: [{ type: "tool_use", id: "c1", name: "weather", input: { city: "Rome" } }] },
        { role: "user", content: [{ type: "tool_result", tool_use_id: "c1", content: "sunny" }] }
      ]
    }
    const before = [
      ["system", text("Be brief.")],
      ["user", text("Here?")],
      ["assistant", call],
      ["user", result]
    ]
    const content = [
      { type: "thinking", thinking: "Hm." },
      { type: "text", text: "Sun." }
    ]
    expect(turnsOf(asked, { role: "assistant", content })).toEqual([...before, ["assistant", thought, text("Sun.")]])
    const stream = sse(
      { type: "message_start", message: { content: [] } },
      { type: "content_block_start", index: 0, content_block: { type: "thinking", thinking: "" } },
      { type: "content_block_delta", index: 0, delta: { type: "thinking_delta", thinking: "Hm." } },
      {
        type: "content_block_start",
        index: 1,
        content_block: { type: "tool_use", id: "c1", name: "weather", input: {} }
      },
      { type: "content_block_delta", index: 1, delta: { type: "input_json_delta", partial_json: '{"city":' } },
      { type: "content_block_delta", index: 1, delta: { type: "input_json_delta", partial_json: '"Rome"}' } },
      { type: "error", error: { type: "overloaded_error", message: "too busy" } }
    )
    expect(turnsOf(asked, stream)).toEqual([...before, ["assistant", thought, call]])
    expect(transcriptOf("{}", stream)?.error).toBe("too busy")
  })

  it("have the items of responses", () => {
    const called = { type: "function_call", name: "weather", call_id: "c1", arguments: '{"city":"Rome"}' }
    const asked = {
      instructions: "Be brief.",
      input: [
        { role: "user", content: [{ type: "input_text", text: "Here?" }] },
        called,
        { type: "function_call_output", call_id: "c1", output: "sunny" }
      ]
    }
    const before = [
      ["system", text("Be brief.")],
      ["user", text("Here?")],
      ["assistant", call],
      ["tool", result]
    ]
    const reasoning = { type: "reasoning", summary: [{ type: "summary_text", text: "Hm." }] }
    const message = { type: "message", role: "assistant", content: [{ type: "output_text", text: "Sun." }] }
    const after = [["assistant", thought, text("Sun.")]]
    expect(turnsOf(asked, { output: [reasoning, message] })).toEqual([...before, ...after])
    const done = { type: "response.completed", response: { output: [reasoning, message] } }
    expect(turnsOf(asked, sse(done))).toEqual([...before, ...after])
    const cut = sse(
      { type: "response.output_item.done", output_index: 0, item: reasoning },
      { type: "response.output_item.added", output_index: 1, item: { ...message, content: [] } },
      { type: "response.output_text.delta", output_index: 1, delta: "Su" },
      { type: "response.output_text.delta", output_index: 1, delta: "n." }
    )
    expect(turnsOf(asked, `${cut}data: {"type":"response.output_te`)).toEqual([...before, ...after])
  })

  it("have an embedding's texts and a video's prompt", () => {
    expect(turnsOf({ input: ["one", "two"] }, { data: [{ embedding: [0.1] }] })).toEqual([
      ["user", text("one"), text("two")]
    ])
    expect(turnsOf({ content: [{ type: "text", text: "a cat" }] }, { id: "cgt-1" })).toEqual([["user", text("a cat")]])
  })

  it("keep what they don't know, and are read as far as they were kept", () => {
    const odd = { messages: [{ role: "user", content: [{ type: "hologram", of: "x" }] }, 5, null] }
    expect(turnsOf(odd)).toEqual([
      ["user", { kind: "other", name: "hologram", text: '{\n  "type": "hologram",\n  "of": "x"\n}' }]
    ])
    const whole = JSON.stringify({
      messages: [
        { role: "user", content: "one \\ two" },
        { role: "assistant", content: "three" }
      ]
    })
    for (let end = 0; end <= whole.length; end++)
      expect(() => transcriptOf(whole.slice(0, end), whole.slice(0, end))).not.toThrow()
    expect(transcriptOf(whole.slice(0, whole.indexOf("three") + 2), "")?.turns).toMatchObject([
      { role: "user", parts: [text("one \\ two")] },
      { role: "assistant", parts: [text("th")] }
    ])
    expect(transcriptOf("", "not JSON")).toBeUndefined()
    expect(transcriptOf('{"a":'.repeat(30_000), "[".repeat(60_000))).toBeUndefined()
  })

  it("are closed wherever JSON is cut", () => {
    const value = { a: ['x\u00e9"', 12, true, { b: null, "c d": {} }], e: "last" }
    const json = JSON.stringify(value, null, 4).replaceAll("é", "\\u00e9")
    expect(partialJson(json)).toEqual(value)
    for (let end = 1; end < json.length; end++) expect(partialJson(json.slice(0, end))).toBeDefined()
  })
})
