import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { request } from "../../request.ts"
import { places, startGeminiWorld } from "./geminiWorld.ts"
import type { GeminiWorld } from "./geminiWorld.ts"

let world: GeminiWorld
beforeAll(async () => {
  world = await startGeminiWorld()
})
afterAll(() => world.dispose())

const last = async () => {
  const { body, path } = (await world.asked()).at(-1) ?? { path: "", body: {} }
  return { path, body }
}

describe.each(places)("Gemini's embeddings, at %s", (place) => {
  const model = `vectors-${place}`

  it("are asked for as the SDK asks for them, and come as OpenAI's client reads them", async () => {
    const config = { outputDimensionality: 3 }
    await world.sdk[place].models.embedContent({ model: "gemini-embedding-001", contents: ["Hi", "there"], config })
    const own = await last()
    const { data, usage } = await world.openai.embeddings.create({ model, input: ["Hi", "there"], dimensions: 3 })
    expect(data.map(({ embedding }) => embedding)).toEqual([
      [2, 0.5, -0.25],
      [5, 0.5, -0.25]
    ])
    expect(usage).toEqual({ prompt_tokens: 4, total_tokens: 4 })
    const ours = await last()
    expect(ours.path).toBe(own.path)
    // The SDK says who speaks, which the method ignores.
    expect(ours.body).toEqual(
      JSON.parse(JSON.stringify(own.body).replaceAll('"role":"user",', "").replaceAll(',"role":"user"', ""))
    )
  })

  it("are of texts alone, and name what is left out", async () => {
    const tokens = await request(world.gateway, "/v1/embeddings", { method: "POST", body: { model, input: [[1, 2]] } })
    expect(tokens.status).toBe(400)
    expect(await tokens.json()).toMatchObject({
      error: { param: "input", message: expect.stringContaining("expected texts") }
    })
    const named = await request(world.gateway, "/v1/embeddings", {
      method: "POST",
      body: { model, input: "Hi", user: "u" }
    })
    expect([named.status, named.headers.get("x-gateway-adapted")]).toEqual([200, "user"])
  })
})

describe.each(places)("Gemini's count of tokens, at %s", (place) => {
  const model = `flash-${place}`
  const tool = {
    name: "get_weather",
    description: "Weather",
    input_schema: { type: "object" as const, properties: {} }
  }

  it("is what messages and responses are told", async () => {
    const messages = [{ role: "user" as const, content: "Hi" }]
    expect(await world.anthropic.messages.countTokens({ model, system: "Be brief.", messages, tools: [tool] })).toEqual(
      { input_tokens: 20 }
    )
    const { body, path } = await last()
    expect(path).toMatch(/\/models\/gemini-3\.8-flash:countTokens$/)
    const { contents, systemInstruction, tools } = body.generateContentRequest ?? body
    expect([contents, systemInstruction]).toEqual([
      [{ role: "user", parts: [{ text: "Hi" }] }],
      { parts: [{ text: "Be brief." }] }
    ])
    expect(tools[0].functionDeclarations[0].name).toBe("get_weather")
    expect((await world.openai.responses.inputTokens.count({ model, input: "Hello" })).input_tokens).toBe(20)
  })
})
