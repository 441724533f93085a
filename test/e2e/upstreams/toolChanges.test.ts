import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import type { World } from "./world.ts"
import { models, startWorld } from "./world.ts"

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.dispose())

const input_schema = { type: "object" }
const tool = (name: string, more: object = {}) => ({ name, input_schema, ...more })
const added = (name: string) => ({ type: "tool_addition", tool: { type: "tool_reference", name } })
const removed = (name: string) => ({ type: "tool_removal", tool: { type: "tool_reference", name } })
const defined = (name: string, more: object = {}) => ({
  type: "tool_addition",
  tool: { type: "tool_definition", definition: tool(name, more) }
})
const user = (content: string) => ({ role: "user", content })
const system = (...content: ReadonlyArray<object>) => ({ role: "system", content })

const ask = async (model: string, body: object) => {
  const { key, url } = world.gateway
  const answer = await fetch(`${url}/v1/messages`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model, max_tokens: 100, ...body })
  })
  // oxlint-disable-next-line typescript/no-explicit-any -- whatever came
  const json: any = await answer.json()
  return { status: answer.status, json }
}

/** The tools in the upstream's request, by protocol. */
const shown = {
  "openai-chat": () =>
    (world.asked("openai-chat").body.tools ?? []).map(
      (one: { function: { name: string; description?: string } }) =>
        one.function.name + (one.function.description ?? "")
    ),
  "openai-responses": () =>
    (world.asked("openai-responses").body.tools ?? []).map(
      (one: { name: string; description?: string }) => one.name + (one.description ?? "")
    )
}

describe.each(["openai-chat", "openai-responses"] as const)(
  "tools that change in a conversation, on %s",
  (protocol) => {
    const model = models[protocol]
    it.each([
      ["one is removed", [removed("a")], ["b"]],
      ["one is removed and added again", [removed("a"), removed("b"), added("a")], ["a"]],
      ["one is defined", [defined("c")], ["a", "b", "c"]],
      [
        "one is defined, removed and added by its name",
        [defined("c"), removed("c"), removed("a"), added("c")],
        ["b", "c"]
      ],
      ["one is defined anew", [defined("a", { description: "!" })], ["a!", "b"]],
      ["all are removed", [removed("a"), removed("b")], []]
    ])("%s", async (_, changes, expected) => {
      const tools = [tool("a"), tool("b", { defer_loading: true })]
      const messages = [user("Hello"), system(...changes.slice(0, 1)), user("play:text"), system(...changes.slice(1))]
      const { json, status } = await ask(model, {
        tools,
        messages: messages.filter(({ content }) => content.length > 0)
      })
      expect([status, json.error]).toEqual([200, undefined])
      expect(shown[protocol]()).toEqual(expected)
    })

    it("may be the one that must be called", async () => {
      const messages = [user("play:text"), system(defined("c"))]
      const { status } = await ask(model, { messages, tool_choice: { type: "tool", name: "c" } })
      expect(status).toBe(200)
      expect(shown[protocol]()).toEqual(["c"])
    })

    it("are a 400 that names what is not there, or is not known here", async () => {
      for (const [block, where] of [
        [removed("x"), "messages[1].content[0].tool.name: no tool before it has the name"],
        [
          { type: "tool_addition", tool: { type: "mcp_toolset_reference", server_name: "s" } },
          "messages[1].content[0].tool.type"
        ]
      ] as const) {
        const { json, status } = await ask(model, { tools: [tool("a")], messages: [user("play:text"), system(block)] })
        expect([status, json.error.message]).toEqual([400, expect.stringContaining(where)])
      }
    })
  }
)

it("changes of tools go as they are to an upstream that has them", async () => {
  const messages = [user("play:text"), system(removed("a"))]
  await ask(models["anthropic-messages"], { tools: [tool("a")], messages })
  expect(world.asked("anthropic-messages").body).toMatchObject({ tools: [{ name: "a" }], messages })
})
