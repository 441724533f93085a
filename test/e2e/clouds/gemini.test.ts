import { FunctionCallingConfigMode, ThinkingLevel } from "@google/genai"
import type { GenerateContentParameters } from "@google/genai"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { pixel, weather } from "../../upstreams/conversations.ts"
import { callSignature, textSignature } from "../../upstreams/fakes/geminiSignatures.ts"
import { spoken } from "../../upstreams/fakes/scenarios.ts"
import { places, startGeminiWorld } from "./geminiWorld.ts"
import type { GeminiWorld } from "./geminiWorld.ts"

let world: GeminiWorld
beforeAll(async () => {
  world = await startGeminiWorld()
})
afterAll(() => world.dispose())

const model = "gemini-3.8-flash"
const last = async () => {
  const { body, path } = (await world.asked()).at(-1) ?? { path: "", body: {} }
  return { path, body }
}

const call = { name: weather.name, args: { city: spoken.city } }
const declared = {
  name: weather.name,
  description: weather.description,
  parametersJsonSchema: weather.parameters
}

/** The same intent as Google's SDK says it. */
const intent: GenerateContentParameters = {
  model,
  contents: [
    { role: "user", parts: [{ text: "Weather? play:tools" }, { inlineData: { mimeType: "image/png", data: pixel } }] }
  ],
  config: {
    systemInstruction: { parts: [{ text: "Be brief." }] },
    maxOutputTokens: 500,
    temperature: 0.5,
    topP: 0.9,
    thinkingConfig: { includeThoughts: true, thinkingLevel: ThinkingLevel.LOW },
    tools: [{ functionDeclarations: [declared] }],
    toolConfig: { functionCallingConfig: { mode: FunctionCallingConfigMode.ANY } }
  }
}

/** Chat completions say it so. */
const asChat = (place: string) => ({
  model: `flash-${place}`,
  max_completion_tokens: 500,
  temperature: 0.5,
  top_p: 0.9,
  reasoning_effort: "low" as const,
  tools: [
    {
      type: "function" as const,
      function: { name: weather.name, description: weather.description, parameters: weather.parameters }
    }
  ],
  tool_choice: "required" as const,
  messages: [
    { role: "system" as const, content: "Be brief." },
    {
      role: "user" as const,
      content: [
        { type: "text" as const, text: "Weather? play:tools" },
        { type: "image_url" as const, image_url: { url: `data:image/png;base64,${pixel}` } }
      ]
    }
  ]
})

describe.each(places)("Gemini, at %s", (place) => {
  it("the SDK takes the fake for its server: whole, streamed, blocked, refused", async () => {
    const { models } = world.sdk[place]
    const whole = await models.generateContent({ model, contents: "play:reasoning" })
    expect([whole.text, whole.usageMetadata?.thoughtsTokenCount]).toEqual([spoken.text, 3])
    let text = ""
    for await (const chunk of await models.generateContentStream({ model, contents: "play:text" })) {
      text += chunk.text ?? ""
    }
    expect(text).toBe(spoken.text)
    const calls = await models.generateContent({ model, contents: "play:parallel-tools" })
    expect(calls.functionCalls?.map(({ args }) => args)).toEqual([{ city: spoken.city }, { city: spoken.other }])
    expect((await models.countTokens({ model, contents: "Hi" })).totalTokens).toBe(20)
    const blocked = await models.generateContent({ model, contents: "play:blocked" })
    expect([blocked.candidates, blocked.promptFeedback?.blockReason]).toEqual([undefined, "PROHIBITED_CONTENT"])
    await expect(models.generateContent({ model, contents: "play:error-before" })).rejects.toThrow("too few of them")
    const broken = async () => {
      for await (const _ of await models.generateContentStream({ model, contents: "play:error-after" })) continue
    }
    await expect(broken()).rejects.toThrow(/UNAVAILABLE|503/)
  })

  it("is asked as the SDK asks it, field by field", async () => {
    await world.sdk[place].models.generateContent(intent)
    const own = await last()
    await world.openai.chat.completions.create(asChat(place))
    const ours = await last()
    expect(ours.path).toBe(own.path)
    // The SDK gives the system text a role, which the service ignores.
    expect(own.body.systemInstruction).toEqual({ parts: [{ text: "Be brief." }] })
    expect(ours.body).toEqual(own.body)

    const stream = await world.sdk[place].models.generateContentStream(intent)
    for await (const _ of stream) continue
    const streamed = await last()
    for await (const _ of await world.openai.chat.completions.create({ ...asChat(place), stream: true })) continue
    expect(await last()).toEqual(streamed)
  })

  it("hears the audio of a chat completion as the SDK sends it", async () => {
    const data = Buffer.from("RIFF....WAVE").toString("base64")
    const question = { text: "What is said? play:text" }
    const inlineData = { mimeType: "audio/wav", data }
    await world.sdk[place].models.generateContent({
      model,
      contents: [{ role: "user", parts: [question, { inlineData }] }]
    })
    const own = await last()
    const content = [
      { type: "text" as const, ...question },
      { type: "input_audio" as const, input_audio: { data, format: "wav" as const } }
    ]
    await world.openai.chat.completions.create({ model: `flash-${place}`, messages: [{ role: "user", content }] })
    expect((await last()).body.contents).toEqual(own.body.contents)
  })

  it("the turn behind a call is the SDK's, with the signature where it came", async () => {
    const history = [
      ...(intent.contents as ReadonlyArray<object>),
      {
        role: "model",
        parts: [{ functionCall: { id: "call1", ...call }, thoughtSignature: callSignature(call.name, call.args) }]
      },
      {
        role: "user",
        parts: [{ functionResponse: { id: "call1", name: call.name, response: { output: "sunny play:text" } } }]
      }
    ]
    await world.sdk[place].models.generateContent({ ...intent, contents: history })
    const own = await last()
    const asked = asChat(place)
    const { choices } = await world.openai.chat.completions.create(asked)
    const [{ id, type, function: called } = never()] =
      choices[0]?.message.tool_calls?.filter((one) => one.type === "function") ?? []
    await world.openai.chat.completions.create({
      ...asked,
      messages: [
        ...asked.messages,
        // A client that keeps nothing else of an answer.
        { role: "assistant", content: null, tool_calls: [{ id, type, function: called }] },
        { role: "tool", tool_call_id: id, content: "sunny play:text" }
      ]
    })
    expect(await last()).toEqual(own)
  })

  it("a signed text goes back in its parts, through a client that knows no signatures", async () => {
    const messages = [{ role: "user" as const, content: "play:text" }]
    const text = await world.anthropic.messages
      .stream({ model: `flash-${place}`, max_tokens: 100, messages })
      .finalText()
    await world.anthropic.messages.create({
      model: `flash-${place}`,
      max_tokens: 100,
      messages: [...messages, { role: "assistant", content: text }, { role: "user", content: "And? play:text" }]
    })
    expect((await last()).body.contents[1]).toEqual({
      role: "model",
      parts: [{ text: spoken.text }, { text: "", thoughtSignature: textSignature(spoken.text) }]
    })
  })

  it("a blocked prompt is a refusal in each family", async () => {
    const named = `flash-${place}`
    const ask = { model: named, max_tokens: 100, messages: [{ role: "user" as const, content: "play:blocked" }] }
    expect((await world.anthropic.messages.create(ask)).stop_reason).toBe("refusal")
    expect((await world.anthropic.messages.stream(ask).finalMessage()).stop_reason).toBe("refusal")
    const chat = await world.openai.chat.completions.create({ model: named, messages: ask.messages })
    expect(chat.choices[0]?.finish_reason).toBe("content_filter")
    const response = await world.openai.responses.create({ model: named, input: "play:blocked" })
    expect(response.incomplete_details?.reason).toBe("content_filter")
  })
})

const never = (): never => {
  throw new Error("no call")
}

it("a signature that the service calls corrupted is left out, and named", async () => {
  const messages = [
    { role: "user" as const, content: "Weather?" },
    {
      role: "assistant" as const,
      content: null,
      // Stored under this id is the signature of another call.
      tool_calls: [
        { id: "call1", type: "function" as const, function: { name: "get_weather", arguments: '{"city":"Oslo"}' } }
      ]
    },
    { role: "tool" as const, tool_call_id: "call1", content: "sunny" }
  ]
  const { data, response } = await world.openai.chat.completions
    .create({ model: "flash-gemini", messages })
    .withResponse()
  expect(data.choices[0]?.message.content).toBe(spoken.text)
  expect(response.headers.get("x-gateway-adapted")).toBe("reasoning")
  const strict = { headers: { "x-gateway-strict": "true" } }
  await expect(world.openai.chat.completions.create({ model: "flash-gemini", messages }, strict)).rejects.toThrow(
    "Corrupted thought signature"
  )
})

it("Gemini's own address is no address of the gateway", async () => {
  const response = await fetch(`${world.gateway.url}/v1beta/models/flash-gemini:generateContent`, {
    method: "POST",
    headers: { "x-goog-api-key": world.gateway.key, "content-type": "application/json" },
    body: "{}"
  })
  expect(response.status).toBe(404)
  expect(await response.text()).toContain("/v1beta")
})
