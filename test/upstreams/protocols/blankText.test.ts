import { describe, expect, it } from "@effect/vitest"
import { lower } from "../../../src/upstreams/protocols/anthropicMessages/request.ts"
import { messagesDialect } from "../../../src/upstreams/protocols/anthropicMessages/messagesDialect.ts"
import { assistant, call, conversation, result, user } from "../conversations.ts"

const options = { model: "claude-sonnet-4-5", upstreamModel: "claude-sonnet-4-5", stream: false }

const passed = (messages: ReadonlyArray<unknown>) => messagesDialect.body({ messages }, options)["messages"]
const text = (text: string) => ({ type: "text", text })
const use = { type: "tool_use", id: "t1", name: "f", input: {} }
const outcome = { type: "tool_result", tool_use_id: "t1" }

describe("white space alone", () => {
  it("is left out beside tool calls of a translated request", () => {
    const items = [user("Hi"), assistant("\n\n"), call("t1", "f", "{}"), result("t1", "ok"), user(" \t")]
    const { adapted, body } = lower(conversation({ items }), options)
    expect(body["messages"]).toEqual([
      { role: "user", content: [text("Hi")] },
      { role: "assistant", content: [use] },
      { role: "user", content: [{ ...outcome, content: [text("ok")] }] }
    ])
    expect(adapted).toEqual([])
  })

  it("is left out of system text", () => {
    expect(lower(conversation({ system: ["\n", "Be brief."] }), options).body["system"]).toEqual([text("Be brief.")])
  })

  it("is left out beside tool calls of a request that passes through", () => {
    const asked = [
      { role: "user", content: "Hi" },
      { role: "assistant", content: [text("\n\n"), use, text("")] },
      { role: "user", content: [outcome] }
    ]
    expect(passed(asked)).toEqual([asked[0], { role: "assistant", content: [use] }, asked[2]])
  })

  it("stays where the message has nothing else, so that the upstream judges", () => {
    const asked = [{ role: "user", content: [text(" ")] }]
    expect(passed(asked)).toEqual(asked)
  })
})

describe("white space at the end of a last assistant turn", () => {
  it("is stripped, whether translated or passed through", () => {
    const items = [user("Hi"), assistant("It is \n")]
    expect(lower(conversation({ items }), options).body["messages"]).toMatchObject([
      { role: "user" },
      { role: "assistant", content: [text("It is")] }
    ])
    for (const content of ["It is \n", [text("It is \n")]]) {
      const asked = [
        { role: "assistant", content: "Before " },
        { role: "assistant", content }
      ]
      const stripped = typeof content === "string" ? "It is" : [text("It is")]
      expect(passed(asked)).toEqual([asked[0], { role: "assistant", content: stripped }])
    }
  })

  it("stays in other turns, and an empty list is left to the upstream", () => {
    const items = [user("a "), assistant("b "), user("c ")]
    expect(lower(conversation({ items }), options).body["messages"]).toMatchObject([
      { content: [text("a ")] },
      { content: [text("b ")] },
      { content: [text("c ")] }
    ])
    expect(passed([{ role: "assistant", content: [] }])).toEqual([{ role: "assistant", content: [] }])
  })
})
