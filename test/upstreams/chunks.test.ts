import { describe, expect, it } from "@effect/vitest"
import { passthroughChunks } from "../../src/upstreams/passthrough/chunks.ts"
import { sseEvents } from "../../src/upstreams/framing/sse.ts"
import { chatDialect } from "../../src/upstreams/protocols/openaiChat/chatDialect.ts"
import { providers } from "../../src/upstreams/protocols/openaiChat/compatible.ts"
import { openaiChat } from "../../src/upstreams/protocols/openaiChat/openaiChat.ts"
import { nativeText } from "./events.ts"

const head = { id: "c", object: "chat.completion.chunk", created: 1, model: "m" }
const usage = { prompt_tokens: 8, completion_tokens: 9, total_tokens: 17 }
const chunks = [
  { ...head, choices: [{ index: 0, delta: { role: "assistant", content: "Hi" } }] },
  { ...head, choices: [{ index: 0, delta: {}, finish_reason: "stop" }] },
  // LiteLLM's form of it.
  { ...head, choices: [{ index: 0, delta: {} }], usage }
]
const stream = `${chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join("")}data: [DONE]\n\n`

describe("usage beside a choice that says nothing", () => {
  const passed = (stream_options: object | undefined) => {
    const request = { body: { stream_options }, headers: new Headers(), rewrite: (answer: object) => ({ ...answer }) }
    const reader = passthroughChunks(openaiChat(providers.generic), chatDialect(providers.generic), request, true)
    return [...reader.push(Buffer.from(stream))]
      .map(nativeText)
      .join("")
      .split("\n\n")
      .filter((frame) => frame !== "" && !frame.endsWith("[DONE]"))
      .map((frame) => JSON.parse(frame.slice("data: ".length)))
  }

  it("becomes usage alone, as the dialect tells it", () => {
    expect(passed({ include_usage: true })).toEqual([chunks[0], chunks[1], { ...head, choices: [], usage }])
  })

  it("is not told to whom has not asked", () => {
    expect(passed(undefined)).toEqual([chunks[0], chunks[1]])
  })
})

describe("an answer whose server has its own form", () => {
  const provider = providers.generic
  const read = (texts: ReadonlyArray<object>, isStream: boolean) => {
    const request = { body: {}, headers: new Headers(), rewrite: (answer: object) => ({ ...answer, model: "alias" }) }
    const reader = passthroughChunks(openaiChat(provider), chatDialect(provider), request, isStream)
    const bytes = texts.map((text) => `data: ${JSON.stringify(text)}\n\n`).join("") + "data: [DONE]\n\n"
    return [...reader.push(Buffer.from(bytes))].map(nativeText).join("")
  }
  const message = (content: string, finish_reason: string | null = null) => ({
    ...head,
    choices: [{ index: 0, message: { role: "assistant", content }, finish_reason }]
  })
  const called = (name: string, text = "") => ({
    ...head,
    choices: [{ index: 0, delta: { tool_calls: [{ index: 0, id: "a", function: { name, arguments: text } }] } }]
  })

  it("streams its pieces as deltas, though it calls them messages", () => {
    const sent = [message("H"), message("i"), { ...head, choices: [{ index: 0, delta: {}, finish_reason: "stop" }] }]
    const frames = sseEvents(Buffer.from(read(sent, true)))
      .filter(({ data }) => data !== "[DONE]")
      .map(({ data }) => JSON.parse(data))
    expect(frames.map(({ choices: [choice] }) => choice.delta.content)).toEqual(["H", "i", undefined])
    expect(frames.every(({ choices: [choice], model }) => !("message" in choice) && model === "alias")).toBe(true)
    expect(JSON.parse(read(sent, false)).choices).toMatchObject([{ message: { content: "Hi" }, finish_reason: "stop" }])
  })

  it("has one call for a name in fragments, though it streams an answer that was asked for whole", () => {
    const sent = [called("get_"), called("get_", ""), called("city"), called("", "{}"), message("", "tool_calls")]
    expect(JSON.parse(read(sent, false)).choices[0].message.tool_calls).toMatchObject([
      { id: "a", function: { name: "get_city", arguments: "{}" } }
    ])
  })

  it("keeps choices without a number apart", () => {
    const choice = (content: string) => ({ delta: { content }, finish_reason: "stop" })
    const { choices } = JSON.parse(read([{ ...head, choices: [choice("one"), choice("two")] }], false))
    expect(choices.map(({ message }: { message: { content: string } }) => message.content)).toEqual(["one", "two"])
  })
})

describe("a stream of chunks that passes through", () => {
  const request = (name: string) => ({
    body: { stream_options: { include_usage: true } },
    headers: new Headers(),
    rewrite: (answer: object) => ({ ...answer, model: name })
  })
  const reader = (name: string) =>
    passthroughChunks(openaiChat(providers.generic), chatDialect(providers.generic), request(name), true)
  const chunk = (delta: object, finish_reason: string | null = null) =>
    `data: ${JSON.stringify({ ...head, choices: [{ index: 0, delta, finish_reason }] })}\n\n`
  const told = (pieces: ReadonlyArray<string>, name = "alias $& ü") => {
    const read = reader(name)
    return pieces.flatMap((piece) => [...read.push(Buffer.from(piece))])
  }
  const begun = {
    role: "assistant",
    tool_calls: [{ index: 0, id: "a", type: "function", function: { name: "f", arguments: '{"lo' } }]
  }
  const rest = { tool_calls: [{ index: 0, function: { arguments: 'c":"[DONE] \\"usage\\":{"}' } }] }
  const frames = [
    chunk(begun),
    chunk(rest),
    ": still here\n\n",
    chunk({ content: 'ü 中 "finish_reason":"' }),
    chunk({}, "tool_calls"),
    `data: ${JSON.stringify({ ...head, choices: [], usage })}\n\n`,
    "data: [DONE]\n\n"
  ]

  it("is the same however its frames come together, with calls begun and gone on with", () => {
    const text = frames
      .join("")
      .replace(": still here\n\n", "")
      .replaceAll('"model":"m"', () => '"model":"alias $& ü"')
    for (const pieces of [frames, [frames.join("")], [frames.slice(0, 3).join(""), frames.slice(3).join("")]]) {
      for (const ends of ["\n", "\r\n"]) {
        const events = told(pieces.map((piece) => piece.replaceAll("\n", ends)))
        expect(events.map(({ type }) => type).filter((type) => type !== "passthrough")).toEqual([
          "started",
          "usage",
          "finished"
        ])
        const heard = events.map(nativeText).join("").replaceAll("\r\n", "\n").replace(": still here\n\n", "")
        expect(heard).toBe(text)
      }
    }
  })

  it("goes on as it came where the names are the same", () => {
    expect(told(frames, "m").map(nativeText).join("").replace(": still here\n\n", "")).toBe(
      frames.join("").replace(": still here\n\n", "")
    )
  })

  it("fails at the frame that says so", () => {
    const failure = 'data: {"error":{"message":"no","code":500}}\n\n'
    const events = told([chunk({ content: "Hi" }) + chunk({ content: "!" }), chunk({ content: "?" }) + failure])
    expect(events.map(({ type }) => type)).toEqual(["started", "passthrough", "passthrough", "passthrough", "failed"])
  })

  const all = [
    { ...head, choices: [{ index: 0, delta: { role: "assistant", content: "Hi" } }] },
    { ...head, choices: [{ index: 0, delta: { content: ' "model":"m" ' } }] },
    { ...head, choices: [{ index: 0, delta: {}, finish_reason: "stop" }] },
    { ...head, choices: [], usage }
  ]
  const spelled: Readonly<Record<string, (frame: object) => string>> = {
    "a space before each colon": (frame) =>
      JSON.stringify(frame).replaceAll(/"(id|model|usage|finish_reason)":/g, '"$1" :'),
    "several spaces behind them": (frame) =>
      JSON.stringify(frame).replaceAll(/"(model|usage|finish_reason)":/g, '"$1":  '),
    "several lines": (frame) => JSON.stringify(frame, null, 2).replaceAll('": ', '" : '),
    "another model within, before its own": (frame) => JSON.stringify({ by: { model: "b" }, ...frame })
  }
  for (const [name, spell] of Object.entries(spelled)) {
    it(`is understood with ${name}`, () => {
      const text = [...all.map(spell), "[DONE]"].map((data) => `data: ${data.replaceAll("\n", "\ndata: ")}\n\n`)
      for (const pieces of [text, [text.join("")]]) {
        const events = told(pieces, "alias")
        expect(events.map(({ type }) => type).filter((type) => type !== "passthrough")).toEqual([
          "started",
          "usage",
          "finished"
        ])
        const heard = [...sseEvents(Buffer.from(events.map(nativeText).join("")))].map(({ data }) => data)
        expect(heard.pop()).toBe("[DONE]")
        expect(heard.map((data) => JSON.parse(data))).toMatchObject(all.map((frame) => ({ ...frame, model: "alias" })))
      }
    })
  }

  it("is named as the caller named it where its first chunk has no name yet", () => {
    const text = [{ ...all[0], model: "" }, ...all.slice(1)].map((frame) => `data: ${JSON.stringify(frame)}\n\n`)
    const heard = told([...text, "data: [DONE]\n\n"], "alias")
      .map(nativeText)
      .join("")
    expect(heard).not.toContain('"model":"m"')
  })

  it("is whole where its end is several lines and no blank one", () => {
    const read = reader("alias")
    const last = JSON.stringify({ ...head, choices: [], usage }, null, 1).replaceAll("\n", "\ndata: ")
    const events = [
      ...read.push(Buffer.from(chunk({ content: "Hi" }) + chunk({}, "stop") + `data: ${last}`)),
      ...read.end()
    ]
    expect(events.map(({ type }) => type)).not.toContain("failed")
    expect(events.map(({ type }) => type)).toContain("usage")
  })
})
