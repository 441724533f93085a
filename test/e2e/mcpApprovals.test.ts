import { describe, expect, it } from "@effect/vitest"
import type { ResponseInputItem } from "openai/resources/responses/responses"
import { request } from "../request.ts"
import { approvals, otherKey } from "./approvals.ts"

const { answer, ask, at, calls, chat, create, openai, server } = approvals()
const told = () =>
  chat.asked.at(-1)?.body.messages.map(({ content, role }: { content: unknown; role: string }) => [role, content])
const refusal = async (body: object, key = at().key) => {
  const refused = await request(at(), "/v1/responses", { body: JSON.stringify({ model: "house", ...body }), key })
  return { status: refused.status, ...(await refused.json()).error }
}

describe.each([false, true])("a call that needs an approval (stream: %s)", (stream) => {
  it("is asked about, and runs once it is approved, before the model says anything", async () => {
    const first = await ask({}, stream)
    expect(first.status).toBe("completed")
    expect(first.output).toMatchObject([
      { type: "mcp_list_tools" },
      { id: expect.stringMatching(/^mcpr_/), type: "mcp_approval_request", server_label: "dice", name: "roll" }
    ])
    expect(first.output[1]).toHaveProperty("arguments", '{"sides":6}')
    expect(calls()).toBe(0)
    const id = first.output[1]?.id
    const next = await create({ previous_response_id: first.id, input: [answer(id, true)] }, stream)
    expect(next.output).toMatchObject([
      {
        type: "mcp_call",
        approval_request_id: id,
        name: "roll",
        arguments: '{"sides":6}',
        output: "A 6",
        status: "completed"
      },
      { type: "message", content: [{ text: "It said: A 6" }] }
    ])
    expect(calls()).toBe(1)
    const last = await create({ previous_response_id: next.id, input: "And now?", tools: [] }, stream)
    expect(last.output).toMatchObject([{ type: "message" }])
    expect(calls()).toBe(1)
    expect(told().map(([role]: [string]) => role)).toEqual(["user", "assistant", "tool", "assistant", "user"])
  })

  it("does not run if it is refused: the model is told why", async () => {
    const first = await ask({}, stream)
    const refused = [answer(first.output[1]?.id, false, "too risky")]
    const next = await create({ previous_response_id: first.id, input: refused }, stream)
    expect(next.output.map(({ type }) => type)).toEqual(["message"])
    expect(next.output_text).toContain("not approved: too risky")
    expect(calls()).toBe(0)
  })

  it("goes on without anything stored, from the item that the caller sends back", async () => {
    const first = await ask({ store: false }, stream)
    const input = [...(first.output as Array<ResponseInputItem>), answer(first.output[1]?.id, true)]
    const next = await create({ store: false, input: [{ role: "user", content: "Roll a die" }, ...input] }, stream)
    expect(next.output.map(({ type }) => type)).toEqual(["mcp_call", "message"])
    expect(calls()).toBe(1)
  })

  it("goes on in a conversation", async () => {
    const { id: conversation } = await openai().conversations.create({})
    const first = await ask({ conversation }, stream)
    const next = await create({ conversation, input: [answer(first.output[1]?.id, true)] }, stream)
    expect(next.output.map(({ type }) => type)).toEqual(["mcp_call", "message"])
    const { data } = await openai().conversations.items.list(conversation, { order: "asc" })
    expect(data.map(({ type }) => type)).toEqual([
      "message",
      "mcp_list_tools",
      "mcp_approval_request",
      "mcp_approval_response",
      "mcp_call",
      "message"
    ])
  })
})

describe("approvals", () => {
  it("come as one item, then the response ends as completed", async () => {
    const types: Array<string> = []
    const events = await openai().responses.create({ model: "house", input: "a", tools: [server()], stream: true })
    for await (const event of events) {
      types.push(event.type)
      if (event.type.startsWith("response.output_item") && "item" in event && event.output_index === 1) {
        expect(event.item).toMatchObject({ type: "mcp_approval_request", arguments: '{"sides":6}' })
      }
    }
    expect(types).toEqual([
      "response.created",
      "response.in_progress",
      "response.output_item.added",
      "response.mcp_list_tools.in_progress",
      "response.mcp_list_tools.completed",
      "response.output_item.done",
      "response.output_item.added",
      "response.output_item.done",
      "response.completed"
    ])
  })

  it("come after the calls that need none, and after the caller's own", async () => {
    chat.want("dice__roll", "dice__cheat_now", "own")
    const own = { type: "function" as const, name: "own", parameters: { type: "object" }, strict: false }
    const never = server({ require_approval: { never: { tool_names: ["roll"] } } })
    const { id, output } = await ask({ tools: [never, own] })
    expect(output.map(({ type }) => type)).toEqual([
      "mcp_list_tools",
      "mcp_call",
      "function_call",
      "mcp_approval_request"
    ])
    expect(output[3]).toMatchObject({ name: "cheat.now" })
    expect(calls()).toBe(1)
    const [, , called, asked] = output
    const next = await create({
      previous_response_id: id,
      tools: [never, own],
      input: [
        answer(asked?.id, true),
        { type: "function_call_output", call_id: called?.type === "function_call" ? called.call_id : "", output: "5" }
      ]
    })
    expect(next.output).toMatchObject([{ type: "mcp_call", name: "cheat.now", status: "failed" }, { type: "message" }])
  })

  it("are given and refused by id, several at once", async () => {
    chat.want("dice__roll", "dice__roll", "dice__roll")
    const first = await ask({ parallel_tool_calls: true })
    const [, one, two, three] = first.output
    const input = [answer(three?.id, true), answer(one?.id, false), answer(two?.id, true)]
    const next = await create({ previous_response_id: first.id, input })
    expect(next.output).toMatchObject([
      { type: "mcp_call", approval_request_id: three?.id, output: "A 8" },
      { type: "mcp_call", approval_request_id: two?.id, output: "A 7" },
      { type: "message" }
    ])
  })

  it("are no more than max_tool_calls lets run", async () => {
    chat.want("dice__roll", "dice__roll")
    const first = await ask({})
    const [, one, two] = first.output
    const input = [answer(one?.id, true), answer(two?.id, true)]
    const next = await create({ previous_response_id: first.id, input, max_tool_calls: 1 })
    expect(next.output).toMatchObject([{ status: "completed" }, { status: "failed" }, { type: "message" }])
    expect(calls()).toBe(1)
  })

  it("of a tool that is no longer offered fail for the model", async () => {
    const first = await ask({})
    const input = [answer(first.output[1]?.id, true)]
    const tools = [server({ allowed_tools: ["cheat.now"] })]
    const next = await create({ previous_response_id: first.id, input, tools })
    expect(next.output).toMatchObject([{ type: "mcp_call", name: "roll", status: "failed" }, { type: "message" }])
    expect(calls()).toBe(0)
  })

  it("are refused with their field", async () => {
    const first = await ask({})
    const id = first.output[1]?.id
    const param = "input[0].approval_request_id"
    const tools = [server()]
    const given = { input: [answer(id, true)], tools }
    const continued = { previous_response_id: first.id, tools }
    // Without its request in the conversation, and of another account's.
    expect(await refusal(given)).toMatchObject({ status: 400, param })
    expect(await refusal({ ...continued, input: [answer("mcpr_1", true)] })).toMatchObject({ status: 400, param })
    expect(await refusal({ ...continued, ...given }, otherKey)).toMatchObject({ param: "previous_response_id" })
    expect(await refusal({ ...continued, ...given, tools: [] })).toMatchObject({ status: 400, param })
    expect(await refusal({ ...continued, input: [answer(id, true), answer(id, false)] })).toMatchObject({
      status: 400,
      param: "input[1].approval_request_id"
    })
    expect(await refusal({ ...continued, input: [first.output[1], answer(id, true)] })).toMatchObject({
      status: 400,
      param: "input",
      message: `Duplicate item found with id ${id}. Remove duplicate items from your input and try again.`
    })
    expect(
      await refusal({ ...continued, input: [{ type: "mcp_approval_response", approval_request_id: id }] })
    ).toMatchObject({
      status: 400,
      param: "input[0].approve"
    })
    expect(calls()).toBe(0)
  })
})
