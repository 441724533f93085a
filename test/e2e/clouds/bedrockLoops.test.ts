import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import Anthropic from "@anthropic-ai/sdk"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import OpenAI from "openai"
import { pixel } from "../../upstreams/conversations.ts"
import { bedrockKeys, fakeBedrock } from "../../upstreams/fakes/bedrock.ts"
import { spoken } from "../../upstreams/fakes/scenarios.ts"
import { startGateway } from "../process.ts"
import type { GatewayProcess } from "../process.ts"

const bedrock = fakeBedrock()
const names = {
  "claude-by-invoke": "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
  "claude-by-converse": "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
  nova: "us.amazon.nova-2-lite-v1:0"
} as const
type Name = keyof typeof names
const all: ReadonlyArray<Name> = ["claude-by-invoke", "claude-by-converse", "nova"]

let gateway: GatewayProcess
let anthropic: Anthropic
let openai: OpenAI
beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), "gateway-loops-"))
  const auth = { kind: "aws", access_key_id: bedrockKeys.accessKeyId, secret_access_key: bedrockKeys.secretAccessKey }
  const place = { base_url: bedrock.url, auth, region: "us-east-1" }
  const upstreams = {
    invoke: { ...place, protocol: "anthropic-messages", provider: "bedrock" },
    converse: { ...place, protocol: "bedrock-converse" }
  }
  const models = Object.fromEntries(
    all.map((name) => [
      name,
      { routes: [{ upstream: name === "claude-by-invoke" ? "invoke" : "converse", model: names[name] }] }
    ])
  )
  writeFileSync(join(folder, "gateway.yaml"), JSON.stringify({ upstreams, models }))
  gateway = await startGateway({ folder })
  anthropic = new Anthropic({ baseURL: gateway.url, apiKey: gateway.key, maxRetries: 0 })
  openai = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.key, maxRetries: 0 })
})
afterAll(async () => {
  await gateway.dispose()
  await bedrock.stop()
})

const parameters = { type: "object" as const, properties: { city: { type: "string" } }, required: ["city"] }
const question = "Weather? play:reasoning-tools"
const turns = 20
/** The tool's result of a turn, which names what the model does next. */
const resultOf = (turn: number) => `${turn} degrees play:${turn < turns - 1 ? "reasoning-tools" : "reasoning"}`
const isStreamed = (turn: number) => turn % 2 === 1
/** Every third result shows an image. */
const isShown = (turn: number) => turn % 3 === 0

/** The conversation as the upstream saw it in the end. */
const expectWhole = (name: Name, images: number) => {
  const { body, by } = bedrock.last()
  const sent = JSON.stringify(body)
  expect(by).toBe("signature")
  for (let turn = 1; turn < turns; turn++) expect(sent).toContain(`${turn} degrees`)
  expect(sent.split(pixel).length - 1).toBe(images)
  expect(sent.split(spoken.signature).length - 1).toBe(name === "nova" ? 0 : turns - 1)
  const ids = [...sent.matchAll(/"(?:tool_use_id|toolUseId)":"(\w+)"/g)].map(([, id]) => id)
  expect(new Set(ids).size).toBe(turns - 1)
}

describe.each(all)("a loop of twenty turns with tools, images and thinking on %s", (model) => {
  it("by messages", async () => {
    const image = {
      type: "image" as const,
      source: { type: "base64" as const, media_type: "image/png" as const, data: pixel }
    }
    const messages: Array<Anthropic.MessageParam> = [
      { role: "user", content: [{ type: "text", text: question }, image] }
    ]
    const step = (turn: number) => {
      const params = {
        model,
        max_tokens: 8_000,
        thinking: { type: "enabled" as const, budget_tokens: 2_000 },
        tools: [{ name: "get_weather", input_schema: parameters }],
        messages
      }
      return isStreamed(turn)
        ? anthropic.messages.stream(params).finalMessage()
        : anthropic.messages.create({ ...params, stream: false })
    }
    for (let turn = 1; turn < turns; turn++) {
      const answer = await step(turn)
      expect(answer.content.map(({ type }) => type)).toEqual(["thinking", "tool_use"])
      const call = answer.content.find((block) => block.type === "tool_use")
      const text = { type: "text" as const, text: resultOf(turn) }
      messages.push({ role: "assistant", content: answer.content })
      messages.push({
        role: "user",
        content: [{ type: "tool_result", tool_use_id: call!.id, content: isShown(turn) ? [text, image] : [text] }]
      })
    }
    const last = await step(turns)
    expect(last.content.at(-1)).toMatchObject({ type: "text", text: spoken.text })
    expect(last.stop_reason).toBe("end_turn")
    expectWhole(model, 7)
  })

  it("by responses", async () => {
    const image = { type: "input_image" as const, image_url: `data:image/png;base64,${pixel}`, detail: "auto" as const }
    const input: OpenAI.Responses.ResponseInput = [
      { role: "user", content: [{ type: "input_text", text: question }, image] }
    ]
    const step = async (turn: number): Promise<ReadonlyArray<OpenAI.Responses.ResponseOutputItem>> => {
      const params = {
        model,
        input,
        store: false,
        include: ["reasoning.encrypted_content" as const],
        reasoning: { effort: "medium" as const, summary: "auto" as const },
        tools: [{ type: "function" as const, name: "get_weather", strict: false, parameters }]
      }
      const answer = isStreamed(turn)
        ? await openai.responses.stream(params).finalResponse()
        : await openai.responses.create({ ...params, stream: false })
      return answer.output
    }
    for (let turn = 1; turn < turns; turn++) {
      const output = await step(turn)
      expect(output.map(({ type }) => type)).toEqual(["reasoning", "function_call"])
      const call = output.find((item) => item.type === "function_call")
      const text = { type: "input_text" as const, text: resultOf(turn) }
      // The output is sent back as it is; the types differ only in items that do not occur here.
      input.push(...(output as OpenAI.Responses.ResponseInput), {
        type: "function_call_output",
        call_id: call!.call_id,
        output: isShown(turn) ? [text, image] : resultOf(turn)
      })
    }
    expect(await step(turns)).toMatchObject([{ type: "reasoning" }, { content: [{ text: spoken.text }] }])
    expectWhole(model, 7)
  })

  it("by chat completions", async () => {
    const url = `data:image/png;base64,${pixel}`
    const messages: Array<OpenAI.Chat.ChatCompletionMessageParam> = [
      {
        role: "user",
        content: [
          { type: "text", text: question },
          { type: "image_url", image_url: { url } }
        ]
      }
    ]
    const step = (turn: number) => {
      const params = {
        model,
        messages,
        reasoning_effort: "medium" as const,
        tools: [{ type: "function" as const, function: { name: "get_weather", parameters } }]
      }
      return isStreamed(turn)
        ? openai.chat.completions.stream(params).finalChatCompletion()
        : openai.chat.completions.create({ ...params, stream: false })
    }
    for (let turn = 1; turn < turns; turn++) {
      const message = (await step(turn)).choices[0]!.message
      const [call] = message.tool_calls ?? []
      messages.push(message, { role: "tool", tool_call_id: call!.id, content: resultOf(turn) })
    }
    expect((await step(turns)).choices[0]?.message.content).toBe(spoken.text)
    expectWhole(model, 1)
  })
})
