import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { readOrigin } from "../../src/generation/origin.ts"
import { spoken } from "../upstreams/fakes/scenarios.ts"
import type { World } from "../e2e/upstreams/world.ts"
import { models, startWorld } from "../e2e/upstreams/world.ts"
import { request } from "../request.ts"

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.dispose())

const ask = async (body: object, model = models["openai-chat"]) => {
  const response = await request(world.gateway, "/v1/chat/completions", {
    body: { model, messages: [{ role: "user", content: "play:text" }], ...body }
  })
  const text = await response.text()
  return { response, text, data: text.split("\n\n").map((line) => line.replace(/^data: /, "")) }
}

const sent = () => world.asked("openai-chat").body

describe("a completion that is passed through", () => {
  it("keeps what the gateway does not know, and only its own seals stay behind", async () => {
    const { response, text } = await ask({
      guided_regex: "\\d+",
      seed: 7,
      messages: [
        { role: "developer", content: "Be brief.", tomorrows: 1 },
        {
          role: "assistant",
          content: "Hi",
          reasoning_content: "Hm.",
          reasoning_details: [
            { type: "reasoning.text", text: "Hm.", signature: "x", format: "model-gateway:another" },
            { type: "reasoning.text", text: "theirs" }
          ]
        },
        { role: "user", content: "play:text" }
      ]
    })
    expect(response.headers.get("x-gateway-adapted")).toBe("reasoning")
    expect(JSON.parse(text)).toMatchObject({
      id: "chatcmpl-1",
      model: models["openai-chat"],
      choices: [{ message: { content: spoken.text } }]
    })
    expect(sent()).toMatchObject({
      model: "qwen3-32b",
      guided_regex: "\\d+",
      seed: 7,
      messages: [
        // What this server's templates know.
        { role: "system", tomorrows: 1 },
        { reasoning_content: "Hm.", reasoning_details: [{ type: "reasoning.text", text: "theirs" }] },
        { role: "user" }
      ]
    })
    expect(sent().stream_options).toBeUndefined()
  })

  it("is a stream under the caller's name of the model, without unrequested usage", async () => {
    const { data, text } = await ask({ stream: true, stream_options: { include_obfuscation: false } })
    expect(sent().stream_options).toEqual({ include_usage: true, include_obfuscation: false })
    expect(data.slice(-2)).toEqual(["[DONE]", ""])
    const chunks = data.slice(0, -2).map((line) => JSON.parse(line))
    expect(new Set(chunks.map(({ model }) => model))).toEqual(new Set([models["openai-chat"]]))
    expect(text).not.toContain("qwen3")
    expect(chunks.every(({ choices }) => choices.length === 1)).toBe(true)
    expect(chunks.map(({ choices }) => choices[0].delta.content ?? "").join("")).toBe(spoken.text)
  })

  it("has the usage behind its last choice where it was asked for", async () => {
    const { data } = await ask({ stream: true, stream_options: { include_usage: true } })
    expect(JSON.parse(data.at(-3)!)).toMatchObject({ choices: [], usage: { prompt_tokens: 20, completion_tokens: 8 } })
  })

  it("is one call where several answers are wanted", async () => {
    const before = world.fakes["openai-chat"].asked.length
    await ask({ n: 3 })
    expect(world.fakes["openai-chat"].asked.length).toBe(before + 1)
    expect(sent().n).toBe(3)
  })
})

describe("several answers of an upstream of another dialect", () => {
  const model = models["anthropic-messages"]

  it("are as many calls, one completion, and the sum of what they used", async () => {
    const before = world.fakes["anthropic-messages"].asked.length
    const { text } = await ask({ n: 3, max_tokens: 100 }, model)
    expect(world.fakes["anthropic-messages"].asked.length).toBe(before + 3)
    const { choices, usage } = JSON.parse(text)
    expect(
      choices.map(({ index, message }: { index: number; message: { content: string } }) => [index, message.content])
    ).toEqual([0, 1, 2].map((index) => [index, spoken.text]))
    expect(usage).toMatchObject({
      prompt_tokens: 60,
      completion_tokens: 24,
      prompt_tokens_details: { cached_tokens: 15 }
    })
  })

  it("are told apart in a stream by their index, with one end", async () => {
    const { data } = await ask({ n: 2, max_tokens: 100, stream: true, stream_options: { include_usage: true } }, model)
    expect(data.filter((line) => line === "[DONE]")).toHaveLength(1)
    const chunks = data.slice(0, -2).map((line) => JSON.parse(line))
    const said = ["", ""]
    for (const { choices } of chunks) for (const { delta, index } of choices) said[index] += delta.content ?? ""
    expect(said).toEqual([spoken.text, spoken.text])
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { prompt_tokens: 40, completion_tokens: 16 } })
  })

  it("fail together, before the first byte and after it", async () => {
    const messages = (scenario: string) => [{ role: "user", content: `play:${scenario}` }]
    const early = await ask({ n: 2, max_tokens: 100, stream: true, messages: messages("error-before") }, model)
    expect(early.response.status).toBe(400)
    const late = await ask({ n: 2, max_tokens: 100, stream: true, messages: messages("error-after") }, model)
    expect(late.text).not.toContain("[DONE]")
    expect(JSON.parse(late.data.at(-2)!)).toEqual({
      error: { code: "server_error", message: expect.any(String), param: null, type: "server_error" }
    })
  })
})

describe("a tool loop on an upstream that wants its reasoning back signed", () => {
  it("goes on with the seal of a function of old, whose call has no id, where the client returns none", async () => {
    const model = models["anthropic-messages"]
    const functions = [{ name: "get_weather", parameters: { type: "object" } }]
    const asking = { role: "user", content: "play:reasoning-tools, of old" }
    const body = { functions, reasoning_effort: "high", max_tokens: 8_000 }
    for (const stream of [false, true]) {
      const { data, text } = await ask({ ...body, stream, messages: [asking] }, model)
      const deltas = stream
        ? data.slice(0, -2).map((line) => JSON.parse(line).choices[0].delta.function_call ?? {})
        : [JSON.parse(text).choices[0].message.function_call]
      const function_call = {
        name: "get_weather",
        arguments: deltas.map((delta) => delta.arguments ?? "").join("")
      }
      const called = { role: "assistant", content: null, function_call }
      const result = { role: "function", name: "get_weather", content: "Sunny" }
      const thoughts = async (messages: ReadonlyArray<object>) => {
        await ask({ ...body, messages }, model)
        const { content } = world.asked("anthropic-messages").body.messages[1]
        return content.filter(({ type }: { type: string }) => type === "thinking")
      }
      expect(await thoughts([asking, called, result])).toMatchObject([{ signature: spoken.signature }])
      // Another question's call is another call.
      expect(await thoughts([{ role: "user", content: `Else? ${stream}` }, called, result])).toEqual([])
    }
  })

  it("goes on with the seal that the client returned", async () => {
    const model = models["anthropic-messages"]
    const tools = [{ type: "function", function: { name: "get_weather", parameters: { type: "object" } } }]
    const asking = { role: "user", content: "play:reasoning-tools" }
    const body = { tools, reasoning_effort: "high", max_tokens: 8_000 }
    const first = JSON.parse((await ask({ ...body, messages: [asking] }, model)).text).choices[0].message
    expect(first).toMatchObject({
      reasoning_content: spoken.thought,
      reasoning_details: [{ type: "reasoning.text", text: spoken.thought }]
    })
    expect(readOrigin(first.reasoning_details[0].signature)).toEqual({
      origin: { by: "anthropic", model: "claude-sonnet-4-5" },
      opaque: spoken.signature
    })
    const result = { role: "tool", tool_call_id: first.tool_calls[0].id, content: "Sunny" }
    await ask({ ...body, messages: [asking, first, result] }, model)
    expect(world.asked("anthropic-messages").body.messages[1].content).toMatchObject([
      { type: "thinking", thinking: spoken.thought, signature: spoken.signature },
      { type: "tool_use", id: first.tool_calls[0].id }
    ])
  })
})
