import { describe, expect, it } from "@effect/vitest"
import { Schema } from "effect"
import type { GenerationEvent } from "../../../src/generation/GenerationEvent.ts"
import type { ServerCallResult } from "../../../src/generation/ServerCall.ts"
import type { InputItem } from "../../../src/responses/InputItem.ts"
import { itemsOf } from "../../../src/responses/items.ts"
import { mcpEvents } from "../../../src/responses/mcp/mcpEvents.ts"
import { OutputItem } from "../../../src/responses/ResponseObject.ts"
import { run } from "../encoding.ts"

const list: GenerationEvent = {
  type: "server-tools",
  server: "dice",
  tools: [{ name: "roll", description: undefined, inputSchema: { type: "object" }, isReadOnly: true }]
}
const call = (result: ServerCallResult | undefined, pieces: ReadonlyArray<string> = ['{"n', '":1}'], id = "c1") => {
  const events: Array<GenerationEvent> = [
    { type: "server-call-start", id, server: "dice", tool: "roll" },
    ...pieces.map((text) => ({ type: "server-call-delta", id, text }) as const)
  ]
  if (result === undefined) return events
  return [...events, { type: "server-call-written", id } as const, { type: "server-call-end", id, result } as const]
}
const finished: GenerationEvent = { type: "finished", reason: "stop", stopSequence: null }
const cut: GenerationEvent = { type: "finished", reason: "max-tokens", stopSequence: null }

const shown = (events: ReadonlyArray<GenerationEvent>) => {
  const { frames, state } = run([{ type: "started", usage: undefined }, ...events])
  expect(frames.map((frame) => frame.sequence_number)).toEqual(frames.map((_, index) => index))
  return { types: frames.map(({ type }) => type), frames, output: state.output.toArray() }
}

describe("tools of servers in a response", () => {
  it("are listed, called and ended in OpenAI's order", () => {
    const { frames, output, types } = shown([
      list,
      ...call({ text: "6" }),
      { type: "text-delta", text: "Six" },
      finished
    ])
    expect(types.slice(0, 13)).toEqual([
      "response.created",
      "response.in_progress",
      "response.output_item.added",
      "response.mcp_list_tools.in_progress",
      "response.mcp_list_tools.completed",
      "response.output_item.done",
      "response.output_item.added",
      "response.mcp_call.in_progress",
      "response.mcp_call_arguments.delta",
      "response.mcp_call_arguments.delta",
      "response.mcp_call_arguments.done",
      "response.mcp_call.completed",
      "response.output_item.done"
    ])
    expect(frames[2]).toMatchObject({
      output_index: 0,
      item: { type: "mcp_list_tools", server_label: "dice", tools: [] }
    })
    expect(frames[3]).toMatchObject({ output_index: 0, item_id: "mcpl_1" })
    const added = { type: "mcp_call", id: "mcp_1", status: "in_progress", arguments: "", output: null, error: null }
    expect(frames[6]).toMatchObject({ output_index: 1, item: added })
    expect(frames[8]).toMatchObject({ output_index: 1, item_id: "mcp_1", delta: '{"n' })
    expect(frames[10]).toMatchObject({ output_index: 1, item_id: "mcp_1", arguments: '{"n":1}' })
    expect(output.slice(0, 2)).toEqual([
      {
        id: "mcpl_1",
        type: "mcp_list_tools",
        server_label: "dice",
        tools: [{ name: "roll", description: null, input_schema: { type: "object" }, annotations: { read_only: true } }]
      },
      {
        id: "mcp_1",
        type: "mcp_call",
        status: "completed",
        approval_request_id: null,
        server_label: "dice",
        name: "roll",
        arguments: '{"n":1}',
        output: "6",
        error: null
      }
    ])
    for (const item of output) expect(Schema.is(OutputItem)(item)).toBe(true)
  })

  it.each([
    [{ type: "mcp_protocol_error", code: -32_602, message: "no" }],
    [{ type: "http_error", code: 0, message: "away" }],
    [{ type: "mcp_tool_execution_error", content: [{ type: "text", text: "broken" }] }]
  ] as const)("fail without failing the response: %j", (error) => {
    const { output, types } = shown([
      ...call({ text: "It failed", error }),
      { type: "text-delta", text: "!" },
      finished
    ])
    expect(types).toContain("response.mcp_call.failed")
    expect(types.at(-1)).toBe("response.completed")
    expect(output[0]).toMatchObject({ status: "failed", output: null, error })
    expect(Schema.is(OutputItem)(output[0])).toBe(true)
  })

  it("without arguments have an empty object", () => {
    const { frames, output } = shown([...call({ text: "6" }, []), finished])
    expect(frames.filter(({ type }) => type.startsWith("response.mcp_call_arguments"))).toMatchObject([
      { delta: "{}" },
      { arguments: "{}" }
    ])
    expect(output[0]).toMatchObject({ arguments: "{}", output: "6" })
  })

  it("that were cut are incomplete, and so are those of an answer that failed", () => {
    const { output, types } = shown([...call(undefined), cut])
    expect(types.at(-1)).toBe("response.incomplete")
    expect(types).not.toContain("response.mcp_call.completed")
    expect(output[0]).toMatchObject({ status: "incomplete", output: null, error: null, arguments: '{"n":1}' })
  })

  it("are in order though they end out of it", () => {
    const [one, other] = [call({ text: "1" }, ["{}"], "a"), call({ text: "2" }, ["{}"], "b")]
    const { output } = shown([...one.slice(0, 3), ...other, ...one.slice(3), finished])
    expect(output).toMatchObject([{ output: "1" }, { output: "2" }])
  })

  it("come back from what was stored", () => {
    const events = [
      list,
      ...call({ text: "6" }),
      ...call({ text: "", error: { type: "http_error", code: 502, message: "away" } }, ["{}"], "c2"),
      ...call(undefined, ["{}"], "c3")
    ]
    const { output } = shown([...events, cut])
    const again = shown([
      ...output.flatMap((item, index) =>
        item.type === "mcp_call" || item.type === "mcp_list_tools" ? mcpEvents({ ...item, id: `${index}` }) : []
      ),
      cut
    ])
    expect(again.output).toEqual(output)
  })
})

const approvals = { given: [], denied: [], toldOf: () => [] }

describe("an earlier call of a server's tool", () => {
  const read = (item: object) =>
    itemsOf(item as InputItem, "input[0]", { model: "m", nameOf: (name) => name, complain: () => {}, approvals })
  const earlier = { type: "mcp_call", id: "mcp_1", server_label: "dice", name: "roll.it", arguments: '{"n":1}' }

  it("is a call and its result for the model", () => {
    expect(read({ ...earlier, output: "6", error: null })).toEqual([
      { type: "tool-call", callId: "mcp_1", name: "dice__roll_it", arguments: '{"n":1}', kind: "function" },
      { type: "tool-result", callId: "mcp_1", content: [{ type: "text", text: "6" }], isError: false }
    ])
  })

  it.each([
    ["it broke", "it broke"],
    [{ type: "http_error", code: 0, message: "away" }, "away"],
    [
      {
        type: "mcp_tool_execution_error",
        content: [
          { type: "text", text: "a" },
          { type: "text", text: "b" }
        ]
      },
      "a\nb"
    ],
    [{}, "The call failed."]
  ])("that failed says so: %j", (error, text) => {
    expect(read({ ...earlier, output: null, error })[1]).toMatchObject({ content: [{ text }], isError: true })
  })

  it("that did not end is nothing, as are lists", () => {
    expect(read({ ...earlier, output: null, error: null })).toEqual([])
    expect(read({ ...earlier, name: 1, output: "6" })).toEqual([])
    expect(read({ type: "mcp_list_tools", id: "mcpl_1", server_label: "dice", tools: [] })).toEqual([])
  })
})
