import Anthropic from "@anthropic-ai/sdk"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import type { World } from "../../e2e/upstreams/world.ts"
import { models, protocols, startWorld } from "../../e2e/upstreams/world.ts"
import { spoken } from "../../upstreams/fakes/scenarios.ts"

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.dispose())

const inputSchema = { type: "object" as const, properties: { city: { type: "string" } }, required: ["city"] }

/** Counts what is sent, and keeps it. */
const watched = () => {
  const sent: Array<Record<string, unknown>> = []
  const client = new Anthropic({
    baseURL: world.gateway.url,
    apiKey: world.gateway.key,
    maxRetries: 0,
    fetch: Object.assign(
      (input: RequestInfo | URL, init?: RequestInit) => {
        if (typeof init?.body === "string") sent.push(JSON.parse(init.body))
        return fetch(input, init)
      },
      { preconnect: fetch.preconnect }
    )
  })
  return { client, sent }
}

const tool = (called: Array<unknown>) => ({
  type: "custom" as const,
  name: "get_weather",
  description: "The weather of a city",
  input_schema: inputSchema,
  parse: (input: unknown) => input,
  run: (input: unknown) => {
    called.push(input)
    return "18 degrees play:text"
  }
})

describe.each(protocols)("threads of the official client on %s", (protocol) => {
  const model = models[protocol]

  it.each([false, true])("the tool runner sends only what is new, stream: %s", async (stream) => {
    const { client, sent } = watched()
    const called: Array<unknown> = []
    const runner = client.beta.messages.toolRunner({
      model,
      max_tokens: 1_000,
      system: "Be brief.",
      tools: [tool(called)],
      messages: [{ role: "user", content: "Weather? play:tools" }],
      stream
    })
    const last = await runner.runUntilDone()
    expect(called).toEqual([{ city: spoken.city }])
    expect(last.content.at(-1)).toMatchObject({ type: "text", text: spoken.text })
    // The runner did not have to fall back to the whole history.
    expect(sent.map(({ thread }) => thread)).toEqual([
      { type: "create" },
      { type: "continue", previous_message_id: expect.stringMatching(/^msg_/) }
    ])
    expect(sent[1]).toMatchObject({ messages: [{ role: "user", content: [{ type: "tool_result" }] }] })
    const asked = JSON.stringify(world.asked(protocol).body)
    for (const text of ["Be brief.", "Weather? play:tools", "18 degrees", "The weather of a city"]) {
      expect(asked).toContain(text)
    }
    expect(asked).not.toContain("previous_message_id")
    expect(asked).not.toContain('"thread"')
    expect(world.asked(protocol).headers["anthropic-beta"] ?? "").not.toContain("message-threads")
  })

  it.each([false, true])("a thread goes on with its system prompt, stream: %s", async (stream) => {
    const { client, sent } = watched()
    const thread = client.beta.messages.thread({ model, max_tokens: 1_000, system: "Be brief." })
    const say = (content: string) =>
      stream ? thread.stream({ role: "user", content }).finalMessage() : thread.send({ role: "user", content })
    await say("first play:reasoning")
    await say("second play:search")
    await say("third play:text")
    expect(sent.map(({ messages }) => (messages as ReadonlyArray<unknown>).length)).toEqual([1, 1, 1])
    expect(thread.messages).toHaveLength(6)
    const asked = JSON.stringify(world.asked(protocol).body)
    for (const text of ["Be brief.", "first play", "second play", "third play", spoken.text]) {
      expect(asked).toContain(text)
    }
  })
})
