import { describe, expect, it } from "@effect/vitest"
import type { JsonObject } from "../../../src/contract/fields.ts"
import { answered, outcome, streamed } from "../events.ts"
import { chat, delta, finish, opened } from "./chatFrames.ts"

const args = (index: number, text: string) => delta({ tool_calls: [{ index, function: { arguments: text } }] })

describe("openai-chat answers", () => {
  it("reads text and the usage that follows, cached tokens apart", () => {
    const events = streamed(chat, [
      delta({ role: "assistant", content: null }),
      delta({ content: "Hel" }),
      delta({ content: "lo" }),
      finish("stop"),
      {
        choices: [],
        usage: {
          prompt_tokens: 10,
          completion_tokens: 5,
          total_tokens: 15,
          prompt_tokens_details: { cached_tokens: 4 },
          completion_tokens_details: { reasoning_tokens: 2 }
        }
      }
    ])
    expect(outcome(events)).toEqual({
      items: [{ type: "text", text: "Hello" }],
      ending: { reason: "stop", stopSequence: null },
      usage: {
        inputTokens: 6,
        cacheReadTokens: 4,
        cacheWriteTokens: 0,
        outputTokens: 5,
        reasoningTokens: 2,
        searches: 0
      }
    })
  })

  it("tells no usage where the upstream told none, and keeps an explicit zero", () => {
    expect(outcome(streamed(chat, [delta({ content: "a" }), finish("stop")])).usage).toBeUndefined()
    const zero = { choices: [], usage: { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 } }
    expect(outcome(streamed(chat, [delta({ content: "a" }), finish("stop"), zero])).usage).toMatchObject({
      inputTokens: 0,
      outputTokens: 0
    })
  })

  it("takes the last of many usages, and counts reasoning that only the total holds", () => {
    const counted = (completion: number, total: number) => ({
      ...delta({ content: "a" }),
      usage: { prompt_tokens: 3, completion_tokens: completion, total_tokens: total }
    })
    expect(outcome(streamed(chat, [counted(1, 4), counted(2, 25), finish("stop")])).usage).toMatchObject({
      inputTokens: 3,
      outputTokens: 22
    })
  })

  it.each(["reasoning_content", "reasoning"])("reads reasoning as %s", (field) => {
    const events = streamed(chat, [delta({ [field]: "hm" }), delta({ content: "Hi" }), finish("stop")])
    expect(outcome(events).items).toEqual([
      { type: "reasoning", text: "hm" },
      { type: "text", text: "Hi" }
    ])
  })

  it("reads reasoning once where both names carry it", () => {
    const events = streamed(chat, [delta({ reasoning_content: "hm", reasoning: "hm" }), finish("stop")])
    expect(outcome(events).items).toEqual([{ type: "reasoning", text: "hm" }])
  })

  const paris = { type: "tool-call", name: "get_weather", kind: "function", text: '{"city":"Paris"}' }
  const rome = { ...paris, text: '{"city":"Rome"}' }

  it.each([
    [
      "by index, in pieces, interleaved",
      [
        opened(0, "c1", "get_weather"),
        opened(1, "c2", "get_weather"),
        args(0, '{"city":'),
        args(1, '{"city":"Rome"}'),
        args(0, '"Paris"}')
      ]
    ],
    [
      "whole, the index always 0",
      [opened(0, "c1", "get_weather", '{"city":"Paris"}'), opened(0, "c2", "get_weather", '{"city":"Rome"}')]
    ],
    [
      "whole, without index, in one chunk",
      [
        delta({
          tool_calls: [
            { id: "c1", function: { name: "get_weather", arguments: '{"city":"Paris"}' } },
            { id: "c2", function: { name: "get_weather", arguments: { city: "Rome" } } }
          ]
        })
      ]
    ],
    [
      "with the id and the name repeated on every piece",
      [
        opened(0, "c1", "get_weather", '{"city":'),
        opened(0, "c1", "get_weather", '"Paris"}'),
        opened(1, "c2", "get_weather", '{"city":"Rome"}')
      ]
    ],
    [
      "with empty ids on later pieces",
      [
        opened(0, "c1", "get_weather", '{"city":'),
        delta({ tool_calls: [{ index: 0, id: "", function: { arguments: '"Paris"}' } }] }),
        opened(1, "c2", "get_weather", '{"city":"Rome"}')
      ]
    ]
  ])("tells parallel calls apart: %s", (_, frames) => {
    expect(outcome(streamed(chat, [...frames, finish("tool_calls")])).items).toEqual([
      { ...paris, callId: "c1" },
      { ...rome, callId: "c2" }
    ])
  })

  it("reads each entry of a whole answer as a call, twins with an id of their own", () => {
    const tool = (city: string, more: JsonObject) => ({
      type: "function",
      function: { name: "get_weather", arguments: `{"city":"${city}"}` },
      ...more
    })
    for (const more of [{ id: "same" }, { id: "same", index: 0 }, { id: "" }, {}]) {
      const message = { role: "assistant", content: null, tool_calls: [tool("Paris", more), tool("Rome", more)] }
      const { items } = outcome(answered(chat, { id: "c", choices: [{ message, finish_reason: "tool_calls" }] }))
      expect(items).toMatchObject([paris, rome])
      expect(new Set(items.map((item) => item["callId"])).size).toBe(2)
    }
  })

  it("takes half a call for a cut answer where the upstream says so, and else for a failure", () => {
    const half = opened(0, "c1", "get_weather", '{"city":"Par')
    expect(outcome(streamed(chat, [half, finish("length")])).ending).toMatchObject({ reason: "max-tokens" })
    for (const reason of ["tool_calls", "stop"]) {
      expect(outcome(streamed(chat, [half, finish(reason)])).ending).toMatchObject({ failed: "UpstreamFailed" })
    }
  })

  it("reads what some servers have in fields of their own", () => {
    const groq = { ...finish("stop"), x_groq: { usage: { prompt_tokens: 7, completion_tokens: 2, total_tokens: 9 } } }
    expect(outcome(streamed(chat, [delta({ content: "a" }), groq])).usage).toMatchObject({
      inputTokens: 7,
      outputTokens: 2
    })
    const details = delta({ reasoning_details: [{ type: "reasoning.text", text: "hm" }] })
    const cited = {
      type: "url_citation",
      url_citation: { url: "https://e.com", title: "E", start_index: 0, end_index: 1 }
    }
    const unsafe = { type: "url_citation", url_citation: { ...cited.url_citation, url: "javascript:alert(1)" } }
    const annotations = [unsafe, cited]
    const { items } = outcome(streamed(chat, [details, delta({ content: "a", annotations }), finish("stop")]))
    expect(items).toMatchObject([
      { type: "reasoning", text: "hm" },
      { type: "text", text: "a", citations: [{ url: "https://e.com", title: "E", start: 0, end: 1 }] }
    ])
  })

  it("tells calls apart that have neither index nor id", () => {
    const whole = (city: string) =>
      delta({ tool_calls: [{ function: { name: "get_weather", arguments: `{"city":"${city}"}` } }] })
    const { items } = outcome(streamed(chat, [whole("Paris"), whole("Rome"), finish("stop")]))
    expect(items).toMatchObject([paris, rome])
    expect(new Set(items.map((item) => item["callId"])).size).toBe(2)
  })

  it("ends with tool-calls although the upstream says stop, and reads empty arguments as none", () => {
    expect(outcome(streamed(chat, [opened(0, "c1", "now"), finish("stop")]))).toMatchObject({
      items: [{ callId: "c1", text: "{}" }],
      ending: { reason: "tool-calls" }
    })
  })

  it("unwraps a custom tool's input", () => {
    const asked = { tools: [{ type: "custom", name: "apply_patch", description: undefined }] } as const
    const frames = [opened(0, "c1", "apply_patch", '{"inp'), args(0, 'ut":"*** Begin\\n"}'), finish("tool_calls")]
    expect(outcome(streamed(chat, frames, { asked })).items).toEqual([
      { type: "tool-call", callId: "c1", name: "apply_patch", kind: "custom", text: "*** Begin\n" }
    ])
  })

  it.each([
    ["stop", "stop"],
    ["length", "max-tokens"],
    ["content_filter", "refusal"],
    ["eos", "stop"]
  ])("reads finish_reason %s as %s", (finishReason, reason) => {
    expect(outcome(streamed(chat, [delta({ content: "a" }), finish(finishReason)])).ending).toMatchObject({ reason })
  })

  it("reads vLLM's stop sequence, and not a token's id", () => {
    const stopped = (stop: unknown) =>
      outcome(streamed(chat, [delta({ content: "a" }), finish("stop", { stop_reason: stop })])).ending
    expect(stopped("END")).toEqual({ reason: "stop-sequence", stopSequence: "END" })
    expect(stopped(128_001)).toEqual({ reason: "stop", stopSequence: null })
  })

  it("reads a refusal", () => {
    expect(outcome(streamed(chat, [delta({ refusal: "No." }), finish("stop")])).items).toEqual([
      { type: "refusal", text: "No." }
    ])
  })

  it("fails on an error in mid-stream, whatever follows, and keeps the upstream's trouble to itself", () => {
    const error = { error: { message: "worker 10.0.0.3 died", type: "server_error", code: null } }
    const ending = outcome(streamed(chat, [delta({ content: "a" }), error, finish("stop")])).ending
    expect(ending).toEqual({ failed: "UpstreamFailed", message: "The model's upstream failed" })
  })

  it("fails where the stream stops without an end, and takes [DONE] alone as one", () => {
    const cut = streamed(chat, [delta({ content: "a" })], { marked: false })
    expect(outcome(cut).ending).toMatchObject({ failed: "UpstreamFailed" })
    expect(outcome(streamed(chat, [delta({ content: "a" })])).ending).toMatchObject({ reason: "stop" })
    const noMark = streamed(chat, [delta({ content: "a" }), finish("stop")], { marked: false })
    expect(outcome(noMark).ending).toMatchObject({ reason: "stop" })
  })

  it("reads an answer in one piece like a stream", () => {
    const message = {
      role: "assistant",
      content: null,
      reasoning_content: "hm",
      tool_calls: [{ id: "c1", type: "function", function: { name: "get_weather", arguments: '{"city":"Paris"}' } }]
    }
    expect(
      outcome(
        answered(chat, {
          id: "chatcmpl-1",
          object: "chat.completion",
          choices: [{ index: 0, message, finish_reason: "tool_calls" }],
          usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 }
        })
      )
    ).toMatchObject({
      items: [
        { type: "reasoning", text: "hm" },
        { ...paris, callId: "c1" }
      ],
      ending: { reason: "tool-calls" },
      usage: { inputTokens: 1, outputTokens: 2 }
    })
  })
})
