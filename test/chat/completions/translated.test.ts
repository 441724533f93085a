import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import OpenAI from "openai"
import { startGateway } from "../../gatewayHere.ts"
import type { GatewayHere } from "../../gatewayHere.ts"

let gateway: GatewayHere
beforeAll(async () => {
  gateway = await startGateway()
})
afterAll(() => gateway.dispose())

const model = "sandbox-text"
const client = () => new OpenAI({ apiKey: gateway.key, baseURL: `${gateway.url}/v1`, maxRetries: 0 })
const post = async (body: object, { path = "/v1/completions", headers = {} } = {}) => {
  const response = await fetch(gateway.url + path, {
    method: "POST",
    headers: { authorization: `Bearer ${gateway.key}`, "content-type": "application/json", ...headers },
    body: JSON.stringify({ model, ...body })
  })
  return { status: response.status, headers: response.headers, body: await response.json() }
}

describe("a text completion of a model that is asked by chat", () => {
  it("is the answer to the prompt", async () => {
    const completion = await client().completions.create({ model, prompt: "A red fox" })
    expect(completion).toMatchObject({
      id: expect.stringMatching(/^cmpl-/),
      object: "text_completion",
      model,
      choices: [{ index: 0, text: expect.stringContaining(`"A red fox"`), logprobs: null, finish_reason: "stop" }]
    })
    const { completion_tokens = 0, prompt_tokens = 0, total_tokens } = completion.usage ?? {}
    expect(Math.min(prompt_tokens, completion_tokens)).toBeGreaterThan(0)
    expect(total_tokens).toBe(prompt_tokens + completion_tokens)
  })

  it("is streamed as the same text, with the usage if it is asked for", async () => {
    const prompt = "A red fox"
    const whole = await client().completions.create({ model, prompt })
    for (const include_usage of [false, true]) {
      const stream = await client().completions.create({
        model,
        prompt,
        stream: true,
        ...(include_usage && { stream_options: { include_usage } })
      })
      const chunks = await Array.fromAsync(stream)
      expect(chunks.map(({ choices }) => choices[0]?.text ?? "").join("")).toBe(whole.choices[0]?.text)
      expect(new Set(chunks.map(({ object }) => object))).toEqual(new Set(["text_completion"]))
      const ends = chunks.flatMap(({ choices }) => choices[0]?.finish_reason ?? [])
      expect(ends).toEqual(["stop"])
      expect(chunks.at(-1)?.usage ?? undefined).toEqual(include_usage ? whole.usage : undefined)
    }
  })

  it("ends with [DONE]", async () => {
    const response = await fetch(`${gateway.url}/v1/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${gateway.key}`, "content-type": "application/json" },
      body: JSON.stringify({ model, prompt: "Hi", stream: true })
    })
    expect(response.headers.get("content-type")).toContain("text/event-stream")
    expect(await response.text()).toMatch(/"finish_reason":"stop"\}\]\}\n\ndata: \[DONE\]\n\n$/)
  })

  it.each([
    [{ max_tokens: 2 }, "Hi", "length"],
    [{}, "[[sandbox: finish=refusal]] Hi", "content_filter"]
  ])("tells its end: %j", async (bound, prompt, finish) => {
    const { choices } = await client().completions.create({ model, prompt, ...bound })
    expect(choices[0]?.finish_reason).toBe(finish)
  })

  it("leaves reasoning out, and ends in the stream where it fails", async () => {
    const response = await fetch(`${gateway.url}/v1/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${gateway.key}`, "content-type": "application/json" },
      body: JSON.stringify({ model, prompt: "[[sandbox: tokens=50 cut=5]] Hi", stream: true })
    })
    const text = await response.text()
    expect(text).toMatch(/data: \{"error":\{[^\n]+\}\}\n\n$/)
    expect(text).not.toContain("[DONE]")
  })

  it("has the answers to each prompt together, in order", async () => {
    const prompt = ["A red fox", "A blue sea", "A door"]
    const { choices, usage } = await client().completions.create({ model, prompt, n: 2 })
    expect(choices.map(({ index }) => index)).toEqual([0, 1, 2, 3, 4, 5])
    for (const { index, text } of choices) expect(text).toContain(prompt[Math.floor(index / 2)])
    const stream = await client().completions.create({
      model,
      prompt,
      n: 2,
      stream: true,
      stream_options: { include_usage: true }
    })
    const texts = ["", "", "", "", "", ""]
    let last: unknown
    for await (const chunk of stream) {
      for (const { index, text } of chunk.choices) texts[index] += text
      last = chunk.usage
    }
    expect(texts).toEqual(choices.map(({ text }) => text))
    expect(last).toEqual(usage)
  })

  it("uses what its prompts use by themselves", async () => {
    const each = await Promise.all(["A red fox", "Hi"].map((prompt) => client().completions.create({ model, prompt })))
    const { usage } = await client().completions.create({ model, prompt: ["A red fox", "Hi"] })
    const sum = (of: "prompt_tokens" | "completion_tokens") =>
      each.reduce((all, one) => all + (one.usage?.[of] ?? 0), 0)
    expect(usage).toMatchObject({
      prompt_tokens: sum("prompt_tokens"),
      completion_tokens: sum("completion_tokens")
    })
  })

  it("is the same for a list of one prompt", async () => {
    const [one, list] = [await post({ prompt: "Hi" }), await post({ prompt: ["Hi"] })]
    expect(list.body.choices).toEqual(one.body.choices)
  })

  it.each([
    ["echo", { echo: true }],
    ["logprobs", { logprobs: 1 }],
    ["suffix", { suffix: "." }],
    ["best_of", { best_of: 2 }],
    ["prompt", { prompt: [1, 2, 3] }],
    ["prompt", { prompt: [[1], [2]] }],
    ["prompt", { prompt: "" }],
    ["prompt", { prompt: undefined }],
    ["prompt", { prompt: Array.from({ length: 33 }, () => "a") }],
    ["prompt", { prompt: Array.from({ length: 2_049 }, () => "a") }],
    ["prompt", { prompt: [] }],
    ["prompt", { prompt: ["a", 1] }],
    ["prompt", { prompt: { text: "a" } }],
    ["n", { n: 0 }],
    ["max_tokens", { max_tokens: 0 }]
  ])("is refused by the name of the field: %s, %#", async (param, body) => {
    const { body: told, status } = await post({ prompt: "Hi", ...body })
    expect([status, told.error.param]).toEqual([400, param])
    expect(told.error.message).toMatch(new RegExp(`^${param}: `))
  })

  it.each([
    { echo: false },
    { logprobs: null },
    { suffix: "" },
    { best_of: 1 },
    { n: 2, best_of: 2 },
    { stop: "END" },
    { n: 1 }
  ])("takes values that ask for nothing: %j", async (body) => {
    const { headers, status } = await post({ prompt: "Hi", ...body })
    expect([status, headers.get("x-gateway-adapted")]).toEqual([200, null])
  })

  it("names what chat does not have, and refuses it in strict mode", async () => {
    const body = { prompt: "Hi", frequency_penalty: 1, seed: 7, logit_bias: { "50256": -100 }, tomorrow: 1 }
    const { headers, status } = await post(body)
    expect(status).toBe(200)
    expect(new Set(headers.get("x-gateway-adapted")?.split(", "))).toEqual(
      new Set(["frequency_penalty", "seed", "logit_bias", "tomorrow"])
    )
    expect((await post(body, { headers: { "x-gateway-strict": "true" } })).status).toBe(400)
  })

  it.each([
    "/completions",
    "/openai/v1/completions",
    "/openai/deployments/sandbox-text/completions",
    "/v1/v1/completions"
  ])("serves clients at %s", async (path) => {
    expect((await post({ prompt: "Hi" }, { path })).body.object).toBe("text_completion")
  })

  it("runs once for requests with the same Idempotency-Key", async () => {
    const again = () => post({ prompt: "Hi" }, { headers: { "idempotency-key": "c1" } })
    expect((await again()).body).toEqual((await again()).body)
  })

  it("refuses models that write no texts", async () => {
    expect((await post({ model: "sandbox-embed", prompt: "Hi" })).status).toBe(400)
    expect((await post({ model: "no-such", prompt: "Hi" })).body.error.code).toBe("model_not_found")
  })
})
