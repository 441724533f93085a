import type Anthropic from "@anthropic-ai/sdk"
import { expect } from "@effect/vitest"
import type OpenAI from "openai"
import { pixel } from "../../upstreams/conversations.ts"
import { spoken } from "../../upstreams/fakes/scenarios.ts"

const parameters = { type: "object" as const, properties: { city: { type: "string" } }, required: ["city"] }
const question = "Weather? play:reasoning-tools"
const turns = 20
/** The tool's result of a turn, which names what the model does next. */
const resultOf = (turn: number) => `${turn} degrees play:${turn < turns - 1 ? "reasoning-tools" : "reasoning"}`
const isStreamed = (turn: number) => turn % 2 === 1
/** Every third result shows an image. */
const isShown = (turn: number) => turn % 3 === 0

/** The images that a loop sends, in the end. */
export const images = { messages: 7, responses: 7, chat: 1 } as const

/** The upstream's last request holds the whole conversation: each result, each image, and a call's id once. */
export const expectWhole = (sent: string, shown: number, idOf: RegExp): void => {
  for (let turn = 1; turn < turns; turn++) expect(sent).toContain(`${turn} degrees`)
  expect(sent.split(pixel).length - 1).toBe(shown)
  expect(new Set([...sent.matchAll(idOf)].map(([, id]) => id)).size).toBe(turns - 1)
}

/** How often the conversation holds a signature, where each turn with a call has one. */
export const timesIn = (sent: string, signature: string): number => sent.split(signature).length - 1
export const callTurns = turns - 1

/** A loop of twenty turns with tools, images and thinking, by messages. */
export const loopByMessages = async (anthropic: Anthropic, model: string): Promise<void> => {
  const image = {
    type: "image" as const,
    source: { type: "base64" as const, media_type: "image/png" as const, data: pixel }
  }
  const messages: Array<Anthropic.MessageParam> = [{ role: "user", content: [{ type: "text", text: question }, image] }]
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
}

/** The same by responses. */
export const loopByResponses = async (openai: OpenAI, model: string): Promise<void> => {
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
}

/** The same by chat completions. */
export const loopByChat = async (openai: OpenAI, model: string): Promise<void> => {
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
}
