import { describe, expect, it } from "@effect/vitest"
import { replyIn, replyOfStream } from "../../../src/messages/threads/reply.ts"
import { withoutCacheControl } from "../../../src/messages/threads/withoutCacheControl.ts"
import { anthropic } from "../../upstreams/fakes/anthropic.ts"
import { scenarios } from "../../upstreams/fakes/scenarios.ts"

const written = (frames: ReadonlyArray<object>, end = "\n") =>
  frames.map((frame) => `event: any${end}data: ${JSON.stringify(frame)}${end}${end}`).join("")

describe("the answer that a stream tells", () => {
  it.each(scenarios.filter((scenario) => !scenario.startsWith("error")))("is the whole one: %s", (scenario) => {
    const whole = replyIn(anthropic.answer(scenario, "m", 1))
    for (const end of ["\n", "\r\n", "\r"]) {
      expect(replyOfStream(written(anthropic.frames(scenario, "m", 1), end))).toEqual(whole)
    }
  })

  it("is none where it does not come to its end", () => {
    const frames = anthropic.frames("reasoning-tools", "m", 0)
    for (let length = 0; length < frames.length; length++) {
      expect(replyOfStream(written(frames.slice(0, length)))).toBeUndefined()
    }
    expect(replyOfStream(written(anthropic.frames("error-after", "m", 0)))).toBeUndefined()
  })

  it("is none if it can't be put together", () => {
    const frames = anthropic.frames("text", "m", 0)
    const unknown = { type: "content_block_delta", index: 0, delta: { type: "tomorrow_delta", more: 1 } }
    expect(replyOfStream(written(frames.flatMap((frame) => (frame["type"] === "ping" ? [unknown] : [frame]))))).toBe(
      undefined
    )
  })

  it("keeps blocks that the gateway has never heard of", () => {
    const block = { type: "tomorrow", of: { what: [1] } }
    const [start, ...rest] = anthropic.frames("text", "m", 0)
    const frames = [
      start!,
      { type: "content_block_start", index: 0, content_block: block },
      { type: "content_block_stop", index: 0 },
      ...rest
    ]
    expect(replyOfStream(written(frames))?.content[0]).toEqual(block)
  })
})

it("breakpoints go, and whatever else has their name stays", () => {
  const cache_control = { type: "ephemeral" }
  expect(
    withoutCacheControl({
      role: "user",
      content: [
        { type: "tool_result", tool_use_id: "a", cache_control, content: [{ type: "text", text: "b", cache_control }] },
        { type: "document", source: { type: "content", content: [{ type: "text", text: "c", cache_control }] } },
        { type: "tool_use", id: "a", name: "n", input: { cache_control } }
      ]
    })
  ).toEqual({
    role: "user",
    content: [
      { type: "tool_result", tool_use_id: "a", content: [{ type: "text", text: "b" }] },
      { type: "document", source: { type: "content", content: [{ type: "text", text: "c" }] } },
      { type: "tool_use", id: "a", name: "n", input: { cache_control } }
    ]
  })
})
