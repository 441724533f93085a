import { describe, expect, it } from "@effect/vitest"
import type { GenerationEvent } from "../../../src/generation/GenerationEvent.ts"
import type { ServerCallResult } from "../../../src/generation/ServerCall.ts"
import type { ContentBlock } from "../../../src/messages/Blocks.ts"
import { items } from "../../../src/messages/content.ts"
import { machine } from "../../../src/messages/encode.ts"

const run = (...events: ReadonlyArray<GenerationEvent>) => {
  const { initial, step } = machine({ id: "msg_1", model: "m", requestId: "req_1", hideThinking: false })
  let state = initial
  const frames = events.flatMap((event) => {
    const [next, more] = step(state, event)
    state = next
    return more
  })
  return { frames, message: state.message }
}

const call = (result?: ServerCallResult): ReadonlyArray<GenerationEvent> => [
  { type: "server-call-start", id: "c1", server: "dice", tool: "roll" },
  { type: "server-call-delta", id: "c1", text: '{"n":' },
  { type: "server-call-delta", id: "c1", text: "1}" },
  ...(result === undefined
    ? []
    : [{ type: "server-call-written", id: "c1" } as const, { type: "server-call-end", id: "c1", result } as const])
]
const finished = (reason: "stop" | "max-tokens" = "stop"): GenerationEvent => ({
  type: "finished",
  reason,
  stopSequence: null
})

describe("tools of servers in a message", () => {
  it("are called in a block of their own, and end in the next, whole at once", () => {
    const { frames, message } = run(...call({ text: "6" }), { type: "text-delta", text: "Six" }, finished())
    expect(frames.slice(1, 7)).toEqual([
      {
        type: "content_block_start",
        index: 0,
        content_block: { type: "mcp_tool_use", id: "mcptoolu_c1", name: "roll", server_name: "dice", input: {} }
      },
      { type: "content_block_delta", index: 0, delta: { type: "input_json_delta", partial_json: '{"n":' } },
      { type: "content_block_delta", index: 0, delta: { type: "input_json_delta", partial_json: "1}" } },
      { type: "content_block_stop", index: 0 },
      {
        type: "content_block_start",
        index: 1,
        content_block: {
          type: "mcp_tool_result",
          tool_use_id: "mcptoolu_c1",
          is_error: false,
          content: [{ type: "text", text: "6" }]
        }
      },
      { type: "content_block_stop", index: 1 }
    ])
    expect(message.content).toMatchObject([
      { type: "mcp_tool_use", input: { n: 1 } },
      { type: "mcp_tool_result" },
      { type: "text", text: "Six" }
    ])
    expect(message.stop_reason).toBe("end_turn")
  })

  it("are listed in one block, without what the dialect has no field for", () => {
    const tool = { name: "roll", description: undefined, inputSchema: { type: "object" }, isReadOnly: true }
    const { frames, message } = run({ type: "server-tools", server: "dice", tools: [tool] }, finished())
    const tools = [{ name: "roll", input_schema: { type: "object" } }]
    const block = { type: "mcp_tool_listing", mcp_server_name: "dice", tools }
    expect(frames.slice(1, 3)).toEqual([
      { type: "content_block_start", index: 0, content_block: block },
      { type: "content_block_stop", index: 0 }
    ])
    expect(message.content).toEqual([block])
  })

  it("that failed are errors, and the message goes on", () => {
    const error = { type: "http_error", code: 0, message: "away" } as const
    const { message } = run(...call({ text: "It is away", error }), finished())
    expect(message.content[1]).toMatchObject({ is_error: true, content: [{ text: "It is away" }] })
  })

  it("that were cut have no result, and no place in a whole message if their arguments are cut", () => {
    expect(run(...call(), finished("max-tokens")).message.content).toMatchObject([{ type: "mcp_tool_use" }])
    const half = run(...call().slice(0, 2), finished("max-tokens"))
    expect(half.message.content).toEqual([])
    expect(half.frames.at(-3)).toEqual({ type: "content_block_stop", index: 0 })
  })
})

describe("earlier calls of servers' tools", () => {
  const use = { type: "mcp_tool_use", id: "mcptoolu_1", name: "roll", server_name: "dice", input: { n: 1 } } as const
  const result = (over: object = {}) =>
    ({ type: "mcp_tool_result", tool_use_id: "mcptoolu_1", is_error: false, content: "6", ...over }) as const
  const read = (...content: ReadonlyArray<ContentBlock>) => items([{ role: "assistant", content }])

  it("are calls and results for the model", () => {
    expect(read({ type: "text", text: "a" }, use, result(), { type: "text", text: "b" })).toMatchObject([
      { type: "message", content: [{ text: "a" }] },
      { type: "tool-call", callId: "mcptoolu_1", name: "dice__roll", arguments: '{"n":1}' },
      { type: "tool-result", callId: "mcptoolu_1", content: [{ text: "6" }], isError: false },
      { type: "message", content: [{ text: "b" }] }
    ])
    const texts = [
      { type: "text", text: "a" },
      { type: "text", text: "b" }
    ]
    expect(read(use, result({ content: texts, is_error: true }))[1]).toMatchObject({
      content: [{ text: "a\nb" }],
      isError: true
    })
  })

  it("are nothing without the other half", () => {
    expect(read(use)).toEqual([])
    expect(read(result())).toEqual([])
    expect(read(result(), use)).toEqual([])
  })
})
