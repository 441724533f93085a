import { describe, expect, it } from "@effect/vitest"
import type { JsonObject } from "../../src/contract/fields.ts"
import { noBack } from "../../src/upstreams/protocols/back.ts"
import { providers } from "../../src/upstreams/protocols/openaiChat/compatible.ts"
import { openaiChat } from "../../src/upstreams/protocols/openaiChat/openaiChat.ts"
import { translatingReader } from "../../src/upstreams/text/translatingReader.ts"
import { outcome } from "./events.ts"

const worded = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value))

/** What becomes of an answer, in a line: what it says, and how it ends. */
const becomes = (text: string, isStream: boolean): string => {
  const reader = translatingReader(openaiChat(providers.generic), { back: noBack, stops: [] }, { model: "m" })
  const events = isStream ? [...reader.push(new TextEncoder().encode(text))] : [...reader.whole(text)].flat()
  const isOver = events.at(-1)?.type === "finished" || events.at(-1)?.type === "failed"
  if (isStream && !isOver) events.push(...reader.end())
  const { ending, items } = outcome(events)
  const said = items.map((item) => {
    const written = worded(item["text"] ?? "")
    return item["type"] === "tool-call" ? `${String(item["name"])}(${written})` : `${String(item["type"])} ${written}`
  })
  return [...said, ending?.["failed"] === undefined ? String(ending?.["reason"]) : worded(ending["failed"])].join(" | ")
}

const frame = (value: unknown) => `data: ${typeof value === "string" ? value : JSON.stringify(value)}\n\n`
const choice = (delta: unknown, finish_reason: string | null = null, more: JsonObject = {}) => ({
  id: "c",
  choices: [{ index: 0, delta, finish_reason, ...more }]
})
const hi = choice({ content: "hi" })
const stop = choice({}, "stop")
const usage = { prompt_tokens: 3, completion_tokens: 1, total_tokens: 4 }
const call = (entry: JsonObject, fn: JsonObject) => choice({ tool_calls: [{ ...entry, function: fn }] })
const paris = { name: "f", arguments: '{"a":1}' }
const done = "[DONE]"
const ok = "text hi | stop"
const fails = "UpstreamFailed"
const called = 'f({"a":1}) | tool-calls'

/** Streams, by what is odd about them: their frames, and what they become. */
const streams: Readonly<Record<string, readonly [ReadonlyArray<unknown>, string]>> = {
  "nothing odd": [[hi, stop, done], ok],
  "no [DONE]": [[hi, stop], ok],
  "no reason but [DONE]": [[hi, done], ok],
  "neither reason nor [DONE]": [[hi], `text hi | ${fails}`],
  "nothing at all": [[], fails],
  "[DONE] alone": [[done], fails],
  "no choice, ever": [[{ id: "c", choices: [] }, done], fails],
  "a first chunk without choices": [[{ id: "", choices: [], prompt_filter_results: [] }, hi, stop, done], ok],
  "choices that are null": [[{ id: "c", choices: null }, done], fails],
  "no choices field": [[{ id: "c" }, done], fails],
  "an empty delta first": [[choice({}), hi, stop, done], ok],
  "a null delta": [[choice(null), hi, stop, done], ok],
  "null content": [[choice({ role: "assistant", content: null }), hi, stop, done], ok],
  "the role on every chunk": [[choice({ role: "assistant", content: "hi" }), stop, done], ok],
  "the reason with the last text": [[choice({ content: "hi" }, "stop"), done], ok],
  "the reason twice": [[hi, stop, stop, done], ok],
  "text behind the reason": [[choice({ content: "h" }, "stop"), choice({ content: "i" }), done], ok],
  "frames behind [DONE]": [[hi, stop, done, hi], ok],
  "an unknown reason": [[hi, choice({}, "new_one"), done], ok],
  "Together's reason": [[hi, choice({}, "eos"), done], ok],
  "Gemini's length": [[hi, choice({}, "MAX_TOKENS"), done], "text hi | max-tokens"],
  "Gemini's filter": [[hi, choice({}, "SAFETY"), done], "text hi | refusal"],
  "Mistral's end of the context": [[hi, choice({}, "model_length"), done], "text hi | context-exceeded"],
  "Zhipu's filter": [[hi, choice({}, "sensitive"), done], "text hi | refusal"],
  "Zhipu's failure": [[hi, choice({}, "network_error"), done], `text hi | ${fails}`],
  "vLLM's abort": [[hi, choice({}, "abort"), done], `text hi | ${fails}`],
  "an empty reason": [[hi, choice({}, ""), stop, done], ok],
  length: [[hi, choice({}, "length"), done], "text hi | max-tokens"],
  content_filter: [[hi, choice({}, "content_filter"), done], "text hi | refusal"],
  "a reason that is an error": [[hi, choice({}, "error"), done], `text hi | ${fails}`],
  "no resources left": [[hi, choice({}, "insufficient_system_resource"), done], `text hi | ${fails}`],
  "a stop sequence it names": [[hi, choice({}, "stop", { stop_reason: "END" }), done], "text hi | stop-sequence"],
  "a stop token's id": [[hi, choice({}, "stop", { stop_reason: 128009 }), done], ok],
  "two choices": [[{ id: "c", choices: [...hi.choices, { index: 1, delta: { content: "no" } }] }, stop, done], ok],
  "two choices, each in its chunk": [
    [hi, { id: "c", choices: [{ index: 1, delta: { content: "no" }, finish_reason: "length" }] }, stop, done],
    ok
  ],
  "choices that begin with 1": [[{ id: "c", choices: [{ index: 1, delta: { content: "hi" } }] }, done], ok],
  "a message in place of a delta": [
    [{ id: "c", choices: [{ index: 0, message: { content: "h" } }] }, choice({ content: "i" }), stop, done],
    ok
  ],
  "usage on every chunk": [[{ ...hi, usage }, { ...stop, usage }, done], ok],
  "usage that is null": [[{ ...hi, usage: null }, stop, done], ok],
  "usage in words": [[hi, { ...stop, usage: { prompt_tokens: "3" } }, done], ok],
  "usage behind [DONE]": [[hi, stop, done, { choices: [], usage }], ok],
  "an error that is null": [[{ ...hi, error: null }, stop, done], ok],
  "an error as an object": [[{ error: { message: "no" } }], fails],
  "an error as text": [[{ error: "no" }], fails],
  "an error with a number": [[{ error: { code: 429, message: "no" } }], "RateLimited"],
  "an error with a number in words": [[{ error: { code: "429", message: "no" } }], "RateLimited"],
  "an error of the caller's": [[{ error: { code: 400, message: "no" } }], "InvalidRequest"],
  "a context that is too long": [[{ error: { code: "context_length_exceeded", message: "no" } }], "InvalidRequest"],
  "a flat error": [[{ object: "error", message: "no", code: 500 }, done], fails],
  "an error in the middle": [[hi, { error: { message: "no" } }, done], `text hi | ${fails}`],
  "an error inside the choice": [[choice({}, "error", { error: { code: 502 } }), done], fails],
  "something that is no JSON": [["oops"], fails],
  "a list": [["[]"], fails],
  "an empty data line": [["", hi, stop, done], ok],
  reasoning_content: [[choice({ reasoning_content: "hm" }), hi, stop, done], "reasoning hm | text hi | stop"],
  reasoning: [[choice({ reasoning: "hm" }), hi, stop, done], "reasoning hm | text hi | stop"],
  "reasoning under both names": [
    [choice({ reasoning: "hm", reasoning_content: "hm" }), stop, done],
    "reasoning hm | stop"
  ],
  "reasoning in details": [
    [choice({ reasoning_details: [{ type: "reasoning.text", text: "hm" }] }), hi, stop, done],
    "reasoning hm | text hi | stop"
  ],
  "reasoning behind text": [[hi, choice({ reasoning: "hm" }), stop, done], "text hi | reasoning hm | stop"],
  "content in parts": [[choice({ content: [{ type: "text", text: "hi" }] }), stop, done], ok],
  "thinking in parts": [
    [choice({ content: [{ type: "thinking", thinking: [{ type: "text", text: "hm" }] }] }), hi, stop, done],
    "reasoning hm | text hi | stop"
  ],
  "a call whole": [[call({ index: 0, id: "a" }, paris), choice({}, "tool_calls"), done], called],
  "a call with the reason stop": [[call({ index: 0, id: "a" }, paris), stop, done], called],
  "a call without an index": [[call({ id: "a" }, paris), stop, done], called],
  "a call without an id": [[call({ index: 0 }, paris), stop, done], called],
  "a call without a type": [[call({ index: 0, id: "a" }, paris), done], called],
  "arguments as an object": [[call({ index: 0, id: "a" }, { name: "f", arguments: { a: 1 } }), stop, done], called],
  "no arguments": [[call({ index: 0, id: "a" }, { name: "f" }), stop, done], "f({}) | tool-calls"],
  "empty arguments": [[call({ index: 0, id: "a" }, { name: "f", arguments: "" }), stop, done], "f({}) | tool-calls"],
  "null arguments": [[call({ index: 0, id: "a" }, { name: "f", arguments: null }), stop, done], "f({}) | tool-calls"],
  "a name that comes behind its id": [[call({ index: 0, id: "a" }, {}), call({ index: 0 }, paris), stop, done], called],
  "a name in fragments": [
    [call({ index: 0, id: "a" }, { name: "get_" }), call({ index: 0 }, { ...paris, name: "city" }), stop, done],
    'get_city({"a":1}) | tool-calls'
  ],
  "a name in fragments, then arguments": [
    [
      call({ index: 0, id: "a" }, { name: "get_", arguments: "" }),
      call({ index: 0 }, { name: "city", arguments: "" }),
      call({ index: 0 }, { arguments: '{"a":1}' }),
      stop,
      done
    ],
    'get_city({"a":1}) | tool-calls'
  ],
  "a name in fragments and no arguments": [
    [call({ index: 0, id: "a" }, { name: "g" }), call({ index: 0 }, { name: "o" }), stop, done],
    "go({}) | tool-calls"
  ],
  "a name in fragments, and a second call": [
    [
      call({ index: 0, id: "a" }, { name: "g" }),
      call({ index: 0 }, { name: "o" }),
      call({ index: 1, id: "b" }, paris),
      stop
    ],
    `go({}) | ${called}`
  ],
  "a name that grows": [
    [call({ index: 0, id: "a" }, { name: "ge" }), call({ index: 0 }, { name: "get", arguments: "{}" }), stop, done],
    "get({}) | tool-calls"
  ],
  "a name on every piece": [
    [call({ index: 0, id: "a" }, { name: "f" }), call({ index: 0, id: "a" }, paris), stop, done],
    called
  ],
  "half a call": [[call({ index: 0, id: "a" }, { name: "f", arguments: '{"a' }), stop, done], `f({"a) | ${fails}`],
  "half a call at the bound": [
    [call({ index: 0, id: "a" }, { name: "f", arguments: '{"a' }), choice({}, "length"), done],
    'f({"a) | max-tokens'
  ],
  "two calls, the index always 0": [
    [call({ index: 0, id: "a" }, paris), call({ index: 0, id: "b" }, paris), stop, done],
    `f({"a":1}) | ${called}`
  ],
  "two calls of one id": [
    [call({ index: 0, id: "a" }, paris), call({ index: 1, id: "a" }, paris), stop, done],
    `f({"a":1}) | ${called}`
  ],
  "two calls without index and id": [[call({}, paris), call({}, paris), stop, done], `f({"a":1}) | ${called}`],
  "a call that is nothing": [[choice({ tool_calls: [null] }), hi, stop, done], ok],
  "calls that are null": [[choice({ content: "hi", tool_calls: null }), stop, done], ok],
  "calls that are none": [[choice({ content: "hi", tool_calls: [] }), stop, done], ok],
  "text before a call": [[hi, call({ index: 0, id: "a" }, paris), stop, done], `text hi | ${called}`],
  "a legacy call": [[choice({ function_call: paris }), choice({}, "function_call"), done], called],
  "a refusal": [[choice({ refusal: "no" }), stop, done], "refusal no | stop"],
  "a refusal that is null": [[choice({ content: "hi", refusal: null }), stop, done], ok]
}

const message = (message: unknown, finish_reason: string | null = "stop") => ({ choices: [{ message, finish_reason }] })
const tool = (more: JsonObject) => ({ type: "function", function: paris, ...more })

/** Answers in one piece. */
const wholes: Readonly<Record<string, readonly [unknown, string]>> = {
  "nothing odd": [message({ content: "hi" }), ok],
  "no reason": [message({ content: "hi" }, null), ok],
  "Mistral's end of the context": [message({ content: "hi" }, "model_length"), "text hi | context-exceeded"],
  "Gemini's length": [message({ content: "hi" }, "MAX_TOKENS"), "text hi | max-tokens"],
  "Zhipu's filter": [message({ content: "hi" }, "sensitive"), "text hi | refusal"],
  "Zhipu's failure": [message({ content: "hi" }, "network_error"), `text hi | ${fails}`],
  "content in parts": [message({ content: [{ type: "text", text: "hi" }] }), ok],
  "null content and a call": [message({ content: null, tool_calls: [tool({ id: "a" })] }), called],
  "two calls of one id": [message({ tool_calls: [tool({ id: "a" }), tool({ id: "a" })] }), `f({"a":1}) | ${called}`],
  "two calls of one index": [
    message({ tool_calls: [tool({ index: 0 }), tool({ index: 0 })] }),
    `f({"a":1}) | ${called}`
  ],
  "half a call": [message({ tool_calls: [tool({ function: { name: "f", arguments: '{"' } })] }), `f({") | ${fails}`],
  reasoning: [message({ reasoning_content: "hm", content: "hi" }), "reasoning hm | text hi | stop"],
  "no choices": [{ choices: [] }, fails],
  "choices that are null": [{ choices: null }, fails],
  "a choice without a message": [{ choices: [{ finish_reason: "stop" }] }, fails],
  "a choice whose message is null": [message(null), fails],
  "a choice whose message is a text": [message("hi"), fails],
  "a choice in the words of older completions": [{ choices: [{ text: "hi", finish_reason: "stop" }] }, fails],
  "a choice that a filter has emptied": [{ choices: [{ finish_reason: "content_filter" }] }, "refusal"],
  "content that is a number": [message({ content: 7 }), fails],
  "a second choice that is none": [{ choices: [...message({ content: "hi" }).choices, null] }, fails],
  "an error": [{ error: { message: "no" } }, fails],
  "an error as text": [{ error: "no" }, fails],
  "an error with a number": [{ error: { code: 429 } }, "RateLimited"],
  "an error beside choices": [{ choices: [], error: { code: 400, message: "no" } }, "InvalidRequest"],
  "a flat error": [{ object: "error", message: "no", code: 500 }, fails],
  "a list": [[], fails],
  nothing: ["", fails],
  null: [null, fails],
  "another dialect's answer": [{ type: "message", content: [{ type: "text", text: "hi" }] }, fails]
}

describe("oddities of chat servers", () => {
  it.each(Object.entries(streams))("a stream with %s", (_, [frames, expected]) => {
    expect(becomes(frames.map(frame).join(""), true)).toBe(expected)
  })

  it.each(["\r\n", "\r"])("a stream of other lines", (newline) => {
    const text = [hi, stop, done].map(frame).join("").replaceAll("\n", newline)
    expect(becomes(text, true)).toBe(ok)
  })

  it("comments, ids, retry hints and a byte order mark", () => {
    expect(
      becomes(`\uFEFF: OPENROUTER PROCESSING\n\nid: 1\nretry: 3\n${[hi, stop, done].map(frame).join("")}`, true)
    ).toBe(ok)
  })

  it("data without a space behind its colon, and a last frame without its blank line", () => {
    expect(becomes(`data:${JSON.stringify(hi)}\n\ndata:${JSON.stringify(stop)}\n`, true)).toBe(ok)
  })

  it.each(Object.entries(wholes))("a whole answer: %s", (_, [answer, expected]) => {
    expect(becomes(JSON.stringify(answer), false)).toBe(expected)
  })

  it.each(["", "<html></html>", "hi", "{"])("a whole answer that is none: %j", (text) => {
    expect(becomes(text, false)).toBe(fails)
  })
})
