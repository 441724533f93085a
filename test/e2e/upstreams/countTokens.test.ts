import Anthropic from "@anthropic-ai/sdk"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "@effect/vitest"
import type { World } from "./world.ts"
import { models, startWorld, usualYaml } from "./world.ts"

const narrowKey = "narrow-key-0123456789abcdefghijkl"
const path = "/v1/messages/count_tokens"
const model = models["anthropic-messages"]

let answer = () => Response.json({ input_tokens: 4321 })
let world: World
beforeAll(async () => {
  world = await startWorld({
    fake: { answer: (asked) => (asked.path === path ? answer() : undefined) },
    yaml: (urls) =>
      JSON.stringify({
        ...JSON.parse(usualYaml(urls)),
        keys: [{ name: "narrow", secret: narrowKey, account: "narrow", models: ["sandbox-*"] }]
      })
  })
})
afterAll(() => world.dispose())
beforeEach(() => {
  answer = () => Response.json({ input_tokens: 4321 })
})

const asked = () => world.fakes["anthropic-messages"].asked.filter((one) => one.path === path)
const counted = async (content: string, of = model) =>
  (await world.anthropic.messages.countTokens({ model: of, messages: [{ role: "user", content }] })).input_tokens

describe("counting the tokens of a message for a Claude upstream", () => {
  it("is the upstream's count, of the caller's own body and betas", async () => {
    const { input_tokens } = await world.anthropic.beta.messages.countTokens({
      model,
      betas: ["interleaved-thinking-2025-05-14"],
      system: [{ type: "text", text: "Be brief.", cache_control: { type: "ephemeral" } }],
      messages: [{ role: "user", content: "one" }]
    })
    expect(input_tokens).toBe(4321)
    const { body, headers } = asked().at(-1)!
    expect(body).toEqual({
      model: "claude-sonnet-4-5",
      system: [{ type: "text", text: "Be brief.", cache_control: { type: "ephemeral" } }],
      messages: [{ role: "user", content: "one" }]
    })
    expect(headers["anthropic-beta"]).toContain("interleaved-thinking-2025-05-14")
    expect(headers["x-api-key"]).toBe("sk-planted-upstream-key")
  })

  it("asks once for the same request, and again for another", async () => {
    const before = asked().length
    expect(await counted("two")).toBe(4321)
    expect(await counted("two")).toBe(4321)
    expect(asked().length).toBe(before + 1)
    await counted("two and a half")
    expect(asked().length).toBe(before + 2)
  })

  it.each([
    ["refuses", () => Response.json({ type: "error", error: { type: "overloaded_error" } }, { status: 529 })],
    ["has no such endpoint", () => new Response("no", { status: 404 })],
    ["tells no count", () => Response.json({ input_tokens: "many" })],
    ["tells what no count is", () => Response.json({ input_tokens: -1 })]
  ])("is our own where the upstream %s, which is not remembered", async (what, failing) => {
    answer = failing
    const own = await counted(what)
    expect(own).toBeGreaterThan(0)
    expect(own).toBeLessThan(100)
    answer = () => Response.json({ input_tokens: 4321 })
    expect(await counted(what)).toBe(4321)
  })

  it("is our own for an upstream of another dialect", async () => {
    const before = world.fakes["openai-chat"].asked.length
    expect(await counted("three", models["openai-chat"])).toBeLessThan(100)
    expect(world.fakes["openai-chat"].asked.length).toBe(before)
  })

  it("is not for keys that may not use the model", async () => {
    const before = asked().length
    const client = new Anthropic({ apiKey: narrowKey, baseURL: world.gateway.url, maxRetries: 0 })
    const refused = client.messages.countTokens({ model, messages: [{ role: "user", content: "four" }] })
    await expect(refused).rejects.toMatchObject({ status: 403 })
    expect(asked().length).toBe(before)
  })
})
