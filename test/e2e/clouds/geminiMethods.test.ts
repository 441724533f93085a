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

it("a newer model at Vertex embeds one text, by another method", async () => {
  const config = { outputDimensionality: 3 }
  const model = "gemini-embedding-2-preview"
  const sdk = await world.sdk.vertex.models.embedContent({ model, contents: "Hi", config })
  expect(sdk.embeddings?.map(({ values }) => values)).toEqual([[2, 0.5, -0.25]])
  const own = await last()
  const newer = "newer-vectors-vertex"
  const { data, usage } = await world.openai.embeddings.create({ model: newer, input: ["Hi"], dimensions: 3 })
  expect(data.map(({ embedding }) => embedding)).toEqual([[2, 0.5, -0.25]])
  expect(usage).toEqual({ prompt_tokens: 2, total_tokens: 2 })
  const ours = await last()
  expect(ours.path).toBe(own.path)
  expect(ours.body).toEqual({ ...own.body, content: { parts: own.body.content.parts } })

  await expect(world.openai.embeddings.create({ model: newer, input: ["Hi", "there"] })).rejects.toThrow(
    "400 input: expected one text"
  )
  const both = await world.openai.embeddings.create({ model: "newer-vectors-gemini", input: ["Hi", "there"] })
  expect(both.data).toHaveLength(2)
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
    expect(
      await world.anthropic.messages.countTokens({
        model,
        system: "Be brief.",
        messages,
        tools: [tool],
        tool_choice: { type: "any" }
      })
    ).toEqual({ input_tokens: 20 })
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

it("Vertex' list is read as the SDK reads it, for the models that are served", async () => {
  const listed: Array<string> = []
  const pages = await world.sdk.vertex.models.list({
    config: { pageSize: 1000, httpOptions: { apiVersion: "v1beta1" } }
  })
  for await (const { name } of pages) listed.push(name?.replace(/^publishers\/google\/models\//, "") ?? "")
  expect(listed).toContain("veo-3.1-generate-001")
  const paths = (await world.asked())
    .map(({ path }) => path)
    .filter((path) => path.endsWith("/publishers/google/models"))
  expect(new Set(paths)).toEqual(new Set(["/v1beta1/publishers/google/models"]))
  const served = (await Array.fromAsync(world.openai.models.list())).map(({ id }) => id)
  expect(served.filter((id) => listed.includes(id)).toSorted()).toEqual(["gemini-3.8-flash", "gemini-embedding-001"])
})
