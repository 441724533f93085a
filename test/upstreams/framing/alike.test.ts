import * as fc from "fast-check"
import { describe, expect, it } from "@effect/vitest"
import { Alike } from "../../../src/upstreams/framing/Alike.ts"
import { noBack } from "../../../src/upstreams/protocols/back.ts"
import { providers } from "../../../src/upstreams/protocols/openaiChat/compatible.ts"
import { openaiChat } from "../../../src/upstreams/protocols/openaiChat/openaiChat.ts"
import type { ChatState } from "../../../src/upstreams/protocols/openaiChat/step.ts"
import type { Protocol } from "../../../src/upstreams/protocols/Protocol.ts"
import { translated } from "../../../src/upstreams/translated.ts"

const head = { id: "c", object: "chat.completion.chunk", created: 1, model: "m" }
const text = fc.oneof(
  fc.string(),
  fc.fullUnicodeString(),
  // What stands elsewhere in a frame, ends a text, or looks like the rest of one.
  fc.constantFrom(
    "",
    "m",
    "c",
    "content",
    '"',
    "\\",
    "\u0000",
    "<think>",
    "</think>",
    "\u00FC",
    "[DONE]",
    "data: ",
    "\n\n"
  ),
  fc.constantFrom('"},"finish_reason":null}]}', '","reasoning_content":"x', "\uD800", "\u2028")
)
const delta = fc.oneof(
  { weight: 8, arbitrary: text.map((content) => ({ content })) },
  text.map((content) => ({ role: "assistant", content })),
  text.map((content) => ({ content: null, reasoning_content: content })),
  fc.tuple(text, text).map(([content, refusal]) => ({ content, refusal })),
  fc
    .tuple(text, fc.constantFrom("a", "b"))
    .map(([args, id]) => ({ tool_calls: [{ index: 0, id, function: { name: "f", arguments: args } }] })),
  text.map((content) => ({ annotations: [{ content }], content })),
  fc.constant({})
)
const chunk = fc
  .tuple(
    delta,
    fc.constantFrom(null, null, null, null, "stop", "length"),
    fc.constantFrom({}, {}, { usage: null }, { n: 2 })
  )
  .map(([said, finish_reason, more]) => ({ ...head, choices: [{ index: 0, delta: said, finish_reason }], ...more }))

/** As servers write JSON: some escape all that is no ASCII, some write spaces. */
const writers: ReadonlyArray<(value: object) => string> = [
  (value) => JSON.stringify(value),
  (value) =>
    JSON.stringify(value).replaceAll(
      /[\u0080-\uFFFF]/g,
      (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`
    ),
  (value) => JSON.stringify(value).replaceAll('":', '": ')
]

const read = (protocol: Protocol<ChatState>, stream: string) => {
  const reader = translated(protocol, { back: noBack, stops: [] }, { model: "m" })
  const events = reader.push(new TextEncoder().encode(stream))
  const last = events.at(-1)?.type
  return last === "finished" || last === "failed" ? events : [...events, ...reader.end()]
}

describe("frames that are alike", () => {
  for (const provider of ["generic", "groq"] as const) {
    const protocol = openaiChat({ ...providers.generic, thinkTags: provider === "groq" })
    const { differsIn: _, ...parsing } = protocol
    it(`mean what they mean where each is parsed (reasoning ${provider === "groq" ? "" : "not "}between tags)`, () => {
      fc.assert(
        fc.property(fc.array(chunk, { maxLength: 40 }), fc.constantFrom(...writers), (chunks, write) => {
          const stream = `${chunks.map((one) => `data: ${write(one)}\n\n`).join("")}data: [DONE]\n\n`
          expect(read(protocol, stream)).toEqual(read(parsing, stream))
        }),
        { numRuns: 500 }
      )
    })
  }

  const frame = (content: string, more = "") => `{"delta":{"content":${JSON.stringify(content)}}${more}}`

  it("are known by all that stands around their text", () => {
    const alike = new Alike("content")
    expect(alike.textIn(frame("a"))).toBeUndefined()
    alike.learn(frame("a"), "a")
    expect(alike.textIn(frame("another word"))).toBe("another word")
    expect(alike.textIn(frame("w", ',"usage":null'))).toBeUndefined()
    expect(alike.textIn('{"delta":{"content":"a","refusal":"b"}}')).toBeUndefined()
    for (const content of ["", '"', "\\", "\n", "\u0000"]) expect(alike.textIn(frame(content))).toBeUndefined()
    // Raw, as no JSON is.
    expect(alike.textIn('{"delta":{"content":"\n"}}')).toBeUndefined()
    expect(alike.textIn('{"delta":{"content":')).toBeUndefined()
  })

  it("are not learned where the text stands twice, or is written in another way", () => {
    const alike = new Alike("content")
    alike.learn('{"a":{"content":"x"},"delta":{"content":"x"}}', "x")
    alike.learn('{"delta":{"content":"\\u0078"}}', "x")
    expect(alike.textIn('{"a":{"content":"y"},"delta":{"content":"x"}}')).toBeUndefined()
    expect(alike.textIn('{"delta":{"content":"y"}}')).toBeUndefined()
  })

  it("are not looked for any longer where each frame has something else of its own", () => {
    const alike = new Alike("content")
    for (let index = 0; index < 8; index++) alike.learn(frame("a", `,"n":${index}`), "a")
    alike.learn(frame("a"), "a")
    expect(alike.textIn(frame("b"))).toBeUndefined()
    expect(alike.textIn(frame("b", ',"n":7'))).toBe("b")
  })
})
