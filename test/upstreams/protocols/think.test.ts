import { describe, expect, it } from "@effect/vitest"
import fc from "fast-check"
import { noBack } from "../../../src/upstreams/protocols/back.ts"
import { openaiChat } from "../../../src/upstreams/protocols/openaiChat/openaiChat.ts"
import { providers } from "../../../src/upstreams/protocols/openaiChat/compatible.ts"
import { answered, outcome, streamed } from "../events.ts"

const thinking = openaiChat({ ...providers.generic, thinkTags: true })
const unopened = openaiChat({ ...providers.generic, thinkTags: "unopened" })
const plain = openaiChat(providers.generic)

const chunk = (content: string, finish_reason: string | null = null) => ({
  choices: [{ index: 0, delta: { content }, finish_reason }]
})
const told = (pieces: ReadonlyArray<string>, protocol = thinking, reason = "stop") =>
  outcome(streamed(protocol, [...pieces.map((piece) => chunk(piece)), chunk("", reason)])).items

const cases: ReadonlyArray<readonly [content: string, items: ReadonlyArray<object>]> = [
  [
    "<think>\nhm</think>\n\nHi",
    [
      { type: "reasoning", text: "\nhm" },
      { type: "text", text: "Hi" }
    ]
  ],
  [
    " \n<think>a < b </thi n</think>Hi <think>no</think>",
    [
      { type: "reasoning", text: "a < b </thi n" },
      { type: "text", text: "Hi <think>no</think>" }
    ]
  ],
  ["<think></think>Hi", [{ type: "text", text: "Hi" }]],
  ["  <thin air", [{ type: "text", text: "  <thin air" }]],
  ["<thi", [{ type: "text", text: "<thi" }]],
  ["Hi <think>there</think>", [{ type: "text", text: "Hi <think>there</think>" }]],
  ["<think>cut off </thin", [{ type: "reasoning", text: "cut off </thin" }]],
  [`${" ".repeat(200)}<think>no`, [{ type: "text", text: `${" ".repeat(200)}<think>no` }]]
]

describe("reasoning that stands in the content", () => {
  it.each(cases)("is told apart in %j, wherever it is cut", (content, items) => {
    expect(told([content])).toEqual(items)
    expect(told(Array.from(content))).toEqual(items)
    fc.assert(
      fc.property(fc.array(fc.nat(content.length)), (cuts) => {
        const at = [0, ...new Set(cuts), content.length].toSorted((a, b) => a - b)
        expect(told(at.slice(1).map((end, index) => content.slice(at[index], end)))).toEqual(items)
      })
    )
  })

  it.each(cases)("is told apart in %j as a whole", (content, items) => {
    const answer = { choices: [{ message: { role: "assistant", content }, finish_reason: "stop" }] }
    expect(outcome(answered(thinking, answer)).items).toEqual(items)
  })

  const withoutOpening: ReadonlyArray<readonly [content: string, items: ReadonlyArray<object>]> = [
    [
      "hm\n</think>\n\nHi",
      [
        { type: "reasoning", text: "hm\n" },
        { type: "text", text: "Hi" }
      ]
    ],
    [
      "\n<think>hm</think>Hi </think>",
      [
        { type: "reasoning", text: "hm" },
        { type: "text", text: "Hi </think>" }
      ]
    ],
    ["</think>Hi", [{ type: "text", text: "Hi" }]],
    // The model did not reason.
    [
      "Hi </thi",
      [
        { type: "reasoning", text: "Hi </thi" },
        { type: "text", text: "Hi </thi" }
      ]
    ]
  ]

  it.each(withoutOpening)("is told apart in %j where the chat template opens it", (content, items) => {
    expect(told([content], unopened)).toEqual(items)
    expect(told(Array.from(content), unopened)).toEqual(items)
    const answer = { choices: [{ message: { role: "assistant", content }, finish_reason: "stop" }] }
    expect(outcome(answered(unopened, answer)).items).toEqual(items)
  })

  it("is no answer where a template opens it, and it is cut or a call follows", () => {
    expect(told(["hm"], unopened, "length")).toEqual([{ type: "reasoning", text: "hm" }])
    const call = { index: 0, id: "a", function: { name: "f", arguments: "{}" } }
    const frames = [chunk("hm"), { choices: [{ index: 0, delta: { tool_calls: [call] } }] }, chunk("", "tool_calls")]
    expect(outcome(streamed(unopened, frames)).items.map(({ type }) => type)).toEqual(["reasoning", "tool-call"])
  })

  it("holds no more back than a tag may be long", () => {
    let state = thinking.begin(noBack)
    for (const piece of [" ".repeat(64), "<think>", "x".repeat(10_000), "</thin", "<".repeat(10_000)]) {
      ;[state] = thinking.step(state, chunk(piece))
      expect(state.thinking?.held.length).toBeLessThan(100)
    }
  })

  it("is the answer's own text where the upstream's entry does not say so", () => {
    expect(told(["<think>hm</think>Hi"], plain)).toEqual([{ type: "text", text: "<think>hm</think>Hi" }])
  })
})
