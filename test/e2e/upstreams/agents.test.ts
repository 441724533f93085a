import { createAnthropic } from "@ai-sdk/anthropic"
import { createOpenAI } from "@ai-sdk/openai"
import { createOpenAICompatible } from "@ai-sdk/openai-compatible"
import type Anthropic from "@anthropic-ai/sdk"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { HumanMessage, ToolMessage } from "@langchain/core/messages"
import type { BaseMessage } from "@langchain/core/messages"
import { ChatOpenAI } from "@langchain/openai"
import { generateText, jsonSchema, stepCountIs, streamText, tool } from "ai"
import type OpenAI from "openai"
import type { DialectName } from "../../upstreams/fakes/fakeUpstream.ts"
import { spoken } from "../../upstreams/fakes/scenarios.ts"
import type { World } from "./world.ts"
import { models, protocols, startWorld } from "./world.ts"

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.dispose())

/** Results of the tool by turn; `play:` names the upstream's next scenario. */
const results = ["18 degrees play:reasoning-tools", "wind 3 play:reasoning-tools", "rain 0 play:reasoning"]
const question = "Weather? play:reasoning-tools"

const parameters = {
  type: "object" as const,
  properties: { city: { type: "string" } },
  required: ["city"],
  additionalProperties: false
}

/** The reasoning that an upstream got back, in the form that it asks for. */
const replayed = (protocol: DialectName): ReadonlyArray<string> => {
  const { body } = world.asked(protocol)
  switch (protocol) {
    case "anthropic-messages":
      return body.messages
        .flatMap(({ content }: { content: unknown }) => (Array.isArray(content) ? content : []))
        .filter(({ type }: { type: string }) => type === "thinking")
        .map(({ signature, thinking }: { signature: string; thinking: string }) =>
          thinking === spoken.thought ? signature : `not ${thinking}`
        )
    case "openai-responses":
      return body.input
        .filter(({ type }: { type: string }) => type === "reasoning")
        .map((item: { encrypted_content: string }) => item.encrypted_content)
    case "openai-chat":
      return body.messages.flatMap((message: { reasoning_content?: string }) => message.reasoning_content ?? [])
  }
}

const opaque: Record<DialectName, string> = {
  "anthropic-messages": spoken.signature,
  "openai-responses": spoken.encrypted,
  "openai-chat": spoken.thought
}

/** The whole loop as the upstream saw it in the end: three calls, each with its result, each behind its reasoning. */
const expectWhole = (protocol: DialectName) => {
  const sent = JSON.stringify(world.asked(protocol).body)
  for (const text of [question, ...results]) expect(sent).toContain(text)
  const ids = [...sent.matchAll(/"(?:tool_use_id|tool_call_id)":"(\w+)"|"call_id":"(\w+)","output"/g)]
  expect(new Set(ids.map((found) => found[1] ?? found[2])).size).toBe(3)
  expect(replayed(protocol)).toEqual([opaque[protocol], opaque[protocol], opaque[protocol]])
}

describe.each(protocols)("a loop of three turns on %s", (protocol) => {
  const model = models[protocol]

  describe.each([false, true])("stream: %s", (stream) => {
    it("by messages", async () => {
      const messages: Array<Anthropic.MessageParam> = [{ role: "user", content: question }]
      const step = () => {
        const params = {
          model,
          max_tokens: 8_000,
          thinking: { type: "enabled" as const, budget_tokens: 2_000 },
          tools: [{ name: "get_weather", input_schema: parameters }],
          messages
        }
        return stream
          ? world.anthropic.messages.stream(params).finalMessage()
          : world.anthropic.messages.create({ ...params, stream: false })
      }
      for (const result of results) {
        const answer = await step()
        expect(answer.stop_reason).toBe("tool_use")
        const call = answer.content.find((block) => block.type === "tool_use")
        expect(answer.content.map(({ type }) => type)).toEqual(["thinking", "tool_use"])
        messages.push({ role: "assistant", content: answer.content })
        messages.push({ role: "user", content: [{ type: "tool_result", tool_use_id: call!.id, content: result }] })
      }
      const last = await step()
      expect(last.stop_reason).toBe("end_turn")
      expect(last.content.at(-1)).toMatchObject({ type: "text", text: spoken.text })
      expectWhole(protocol)
    })

    const step = (params: Omit<OpenAI.Responses.ResponseCreateParamsNonStreaming, "model" | "stream">) => {
      const all = {
        ...params,
        model,
        reasoning: { effort: "medium" as const, summary: "auto" as const },
        tools: [{ type: "function" as const, name: "get_weather", strict: false, parameters }]
      }
      return stream
        ? world.openai.responses.stream(all).finalResponse()
        : world.openai.responses.create({ ...all, stream: false })
    }
    const callOf = (response: { output: ReadonlyArray<OpenAI.Responses.ResponseOutputItem> }) => {
      expect(response.output.map(({ type }) => type)).toEqual(["reasoning", "function_call"])
      return response.output.find((item) => item.type === "function_call")!
    }

    it("by responses that hold everything", async () => {
      const input: OpenAI.Responses.ResponseInput = [{ role: "user", content: question }]
      const ask = () => step({ input, store: false, include: ["reasoning.encrypted_content"] })
      for (const output of results) {
        const response = await ask()
        const call = callOf(response)
        // The output is sent back as it is; the types differ only in items that do not occur here.
        input.push(...(response.output as typeof input), {
          type: "function_call_output",
          call_id: call.call_id,
          output
        })
      }
      expect((await ask()).output_text).toBe(spoken.text)
      expectWhole(protocol)
    })

    it("by responses that continue the previous one", async () => {
      let response = await step({ input: question })
      for (const output of results) {
        const call = callOf(response)
        response = await step({
          input: [{ type: "function_call_output", call_id: call.call_id, output }],
          previous_response_id: response.id
        })
      }
      expect(response.output_text).toBe(spoken.text)
      expectWhole(protocol)
      // A later question, on what was said.
      const next = await step({ input: "And tomorrow? play:text", previous_response_id: response.id })
      expect(next.output_text).toBe(spoken.text)
      const sent = JSON.stringify(world.asked(protocol).body)
      expect(sent).toContain("And tomorrow?")
      expect(sent).toContain(spoken.text)
    })

    const agent = () => {
      const left = [...results]
      return {
        tools: {
          get_weather: tool({
            description: "The weather",
            inputSchema: jsonSchema<{ city: string }>(parameters),
            execute: async () => left.shift()!
          })
        },
        stopWhen: stepCountIs(6),
        prompt: question,
        maxRetries: 0
      }
    }
    const settled = async (result: {
      readonly steps: PromiseLike<ReadonlyArray<unknown>>
      readonly text: PromiseLike<string>
    }) => ({ steps: await result.steps, text: await result.text })

    it("by the Vercel client's messages", async () => {
      const options = {
        ...agent(),
        model: createAnthropic({ baseURL: `${world.gateway.url}/v1`, apiKey: world.gateway.key })(model),
        maxOutputTokens: 4_000,
        providerOptions: { anthropic: { thinking: { type: "enabled", budgetTokens: 2_000 } } }
      }
      const { steps, text } = stream ? await settled(streamText(options)) : await generateText(options)
      expect(steps).toHaveLength(4)
      expect(text).toBe(spoken.text)
      expectWhole(protocol)
    })

    it("by the Vercel client's chat completions, which return the readable reasoning", async () => {
      const options = {
        ...agent(),
        model: createOpenAICompatible({
          name: "gateway",
          baseURL: `${world.gateway.url}/v1`,
          apiKey: world.gateway.key
        })(model),
        maxOutputTokens: 4_000,
        providerOptions: { gateway: { reasoningEffort: "high" } }
      }
      const { steps, text } = stream ? await settled(streamText(options)) : await generateText(options)
      expect(steps).toHaveLength(4)
      expect(text).toBe(spoken.text)
      expectWhole(protocol)
    })

    // A server of the dialect itself says what it wants back.
    it.skipIf(protocol === "openai-chat")("by LangChain's chat completions, which return no reasoning", async () => {
      const client = new ChatOpenAI({
        model,
        apiKey: world.gateway.key,
        configuration: { baseURL: `${world.gateway.url}/v1` },
        maxRetries: 0,
        maxTokens: 4_000,
        streaming: stream,
        modelKwargs: { reasoning_effort: "high" }
      }).bindTools([{ type: "function", function: { name: "get_weather", parameters } }])
      const messages: Array<BaseMessage> = [new HumanMessage(question)]
      for (const result of results) {
        const answer = await client.invoke(messages)
        const [call] = answer.tool_calls ?? []
        messages.push(answer, new ToolMessage({ content: result, tool_call_id: call!.id! }))
      }
      expect((await client.invoke(messages)).text).toBe(spoken.text)
      expectWhole(protocol)
    })

    it.each([true, false])("by the Vercel client's responses, stored: %s", async (store) => {
      const sent: Array<string> = []
      const options = {
        ...agent(),
        model: createOpenAI({
          baseURL: `${world.gateway.url}/v1`,
          apiKey: world.gateway.key,
          fetch: Object.assign(
            (url: RequestInfo | URL, init?: RequestInit) => {
              sent.push(init?.body as string)
              return fetch(url, init)
            },
            { preconnect: fetch.preconnect }
          )
        })(model),
        providerOptions: {
          openai: { store, reasoningEffort: "medium", reasoningSummary: "auto", forceReasoning: true }
        }
      }
      const { steps, text } = stream ? await settled(streamText(options)) : await generateText(options)
      expect(steps).toHaveLength(4)
      expect(text).toBe(spoken.text)
      expect(sent.at(-1)!.includes('"item_reference"')).toBe(store)
      expectWhole(protocol)
    })
  })
})
