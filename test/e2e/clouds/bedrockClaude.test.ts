import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { AnthropicBedrock } from "@anthropic-ai/bedrock-sdk"
import Anthropic from "@anthropic-ai/sdk"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import OpenAI from "openai"
import { bedrockKey, bedrockKeys } from "../../upstreams/fakes/bedrock.ts"
import { spoken } from "../../upstreams/fakes/scenarios.ts"
import { startCloud } from "../../upstreams/fakes/startCloud.ts"
import { startGateway } from "../../gatewayHere.ts"
import type { GatewayHere } from "../../gatewayHere.ts"

const bedrock = await startCloud("bedrock")
const id = "us.anthropic.claude-opus-5-5-v1:0"

let gateway: GatewayHere
let anthropic: Anthropic
let openai: OpenAI
beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), "gateway-bedrock-"))
  const auth = {
    kind: "aws",
    access_key_id: bedrockKeys.accessKeyId,
    secret_access_key: bedrockKeys.secretAccessKey
  }
  const place = { protocol: "anthropic-messages", provider: "bedrock", base_url: bedrock.url }
  const plain = { ...place, base_url: `${bedrock.url}/anthropic` }
  const upstreams = {
    signed: { ...place, auth, region: "us-east-1" },
    keyed: { ...place, api_key: bedrockKey },
    guarded: { ...place, auth, region: "us-east-1", guardrail: { id: "gr-house-0123" } },
    wrong: { ...place, api_key: "bedrock-api-key-of-another" },
    plain: { ...plain, auth, region: "eu-west-1" },
    "plain-keyed": { ...plain, api_key: bedrockKey }
  }
  const models = Object.fromEntries(
    Object.keys(upstreams).map((upstream) => [upstream, { routes: [{ upstream, model: id }] }])
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

const own = new AnthropicBedrock({
  baseURL: bedrock.url,
  awsRegion: "us-east-1",
  awsAccessKey: bedrockKeys.accessKeyId,
  awsSecretKey: bedrockKeys.secretAccessKey,
  maxRetries: 0
})

const asked = {
  max_tokens: 100,
  system: "Be brief.",
  messages: [{ role: "user" as const, content: "Hi" }],
  tools: [{ name: "look", input_schema: { type: "object" as const, properties: { at: { type: "string" } } } }]
}

/** Anthropic's SDK leaves the colon of an id as it is, AWS's own writes `%3A`, as the gateway does. */
const sent = async () => {
  const { body, by, path } = await bedrock.last()
  return { path: decodeURIComponent(path), body, by }
}

describe("Claude at Bedrock, by InvokeModel", () => {
  it("is asked as Anthropic's SDK for Bedrock asks it, whole, streamed and with betas", async () => {
    expect((await own.messages.create({ model: id, ...asked })).content).toMatchObject([{ text: spoken.text }])
    const whole = await sent()
    expect((await anthropic.messages.create({ model: "signed", ...asked })).content).toMatchObject([
      { text: spoken.text }
    ])
    expect(await sent()).toEqual(whole)
    expect((await bedrock.last()).path).toBe(`/model/${encodeURIComponent(id)}/invoke`)

    expect(await own.messages.stream({ model: id, ...asked }).finalText()).toBe(spoken.text)
    const streamed = await sent()
    expect(await anthropic.messages.stream({ model: "signed", ...asked }).finalText()).toBe(spoken.text)
    expect(await sent()).toEqual(streamed)
    expect(streamed.path).toBe(`/model/${id}/invoke-with-response-stream`)

    const betas = ["context-1m-2025-08-07", "context-management-2025-06-27"]
    await own.beta.messages.create({ model: id, ...asked, betas })
    const withBetas = await sent()
    await anthropic.beta.messages.create({ model: "signed", ...asked, betas })
    expect(await sent()).toEqual(withBetas)
    expect(withBetas.body.anthropic_beta).toEqual(betas)
    expect((await bedrock.last()).headers.get("anthropic-beta")).toBeNull()
    expect((await bedrock.last()).headers.get("anthropic-version")).toBeNull()
  })

  it("is told the upstream's guardrail by AWS's headers", async () => {
    await anthropic.messages.create({ model: "guarded", ...asked })
    const { headers } = await bedrock.last()
    expect(headers.get("x-amzn-bedrock-guardrailidentifier")).toBe("gr-house-0123")
    expect(headers.get("x-amzn-bedrock-guardrailversion")).toBe("DRAFT")
  })

  it("gets the version that AWS documents unless the caller names another, and knows a key too", async () => {
    const answer = await fetch(`${gateway.url}/v1/messages`, {
      method: "POST",
      headers: { "x-api-key": gateway.key, "anthropic-version": "2023-06-01" },
      body: JSON.stringify({ model: "keyed", max_tokens: 10, messages: asked.messages })
    })
    expect(answer.status).toBe(200)
    expect(await sent()).toMatchObject({ by: "key", body: { anthropic_version: "bedrock-2023-05-31" } })
  })

  it("answers clients of OpenAI's families, whole and streamed, with tools and thinking", async () => {
    const chat = await openai.chat.completions.create({
      model: "signed",
      messages: [{ role: "user", content: "play:tools" }],
      tools: [{ type: "function", function: { name: "get_weather", parameters: { type: "object" } } }]
    })
    expect(chat.choices[0]?.message.tool_calls).toMatchObject([{ function: { arguments: '{"city":"Paris"}' } }])
    expect(await sent()).toMatchObject({ body: { anthropic_version: "bedrock-2023-05-31", max_tokens: 32_000 } })
    const stream = openai.responses.stream({
      model: "signed",
      input: "play:reasoning",
      reasoning: { effort: "low", summary: "auto" }
    })
    const response = await stream.finalResponse()
    expect(response.output.map(({ type }) => type)).toEqual(["reasoning", "message"])
    expect(response.output_text).toBe(spoken.text)
    expect(response.usage).toMatchObject({ input_tokens: 20, output_tokens: 8 })
    expect((await sent()).path).toBe(`/model/${id}/invoke-with-response-stream`)
  })

  it("counts tokens by the model behind the inference profile", async () => {
    const { max_tokens: _, ...counted } = asked
    expect((await anthropic.messages.countTokens({ model: "signed", ...counted })).input_tokens).toBe(9)
    expect((await sent()).path).toBe(`/model/${id.replace("us.", "")}/count-tokens`)
    const { body } = (await sent()).body.input.invokeModel
    expect(JSON.parse(Buffer.from(body, "base64").toString())).toMatchObject({ ...counted, max_tokens: 1_024 })
  })

  const failing = (text: string, stream: boolean, model = "signed") => {
    const params = { model, max_tokens: 100, messages: [{ role: "user" as const, content: text }] }
    return stream
      ? anthropic.messages.stream(params).finalMessage()
      : anthropic.messages.create({ ...params, stream: false })
  }

  it.each([
    ["ValidationException", 400, "messages: too few of them"],
    ["ServiceQuotaExceededException", 429, "accepts no more requests"],
    ["ThrottlingException", 429, "accepts no more requests"],
    ["ResourceNotFoundException", 400, "Could not resolve the foundation model"],
    ["AccessDeniedException", 500, "upstream"],
    ["ModelErrorException", 500, "upstream"]
  ])("says what %s means", async (type, status, message) => {
    const error = await failing(`fails:${type}`, type.length % 2 === 0).catch((error: unknown) => error)
    expect(error).toMatchObject({ status, message: expect.stringContaining(message) })
  })

  it("an exception in the stream before the first word is a refusal, and one behind it ends the stream", async () => {
    const before = await failing("ends:throttlingException", true).catch((error: unknown) => error)
    expect(before).toMatchObject({ status: 429 })
    const quota = await failing("ends:validationException", true).catch((error: unknown) => error)
    expect(quota).toMatchObject({ status: 400, message: expect.stringContaining("it ends with validationException") })
    const late = await failing("late: ends:modelStreamErrorException", true).catch((error: unknown) => error)
    expect(late).toMatchObject({ status: undefined, message: expect.stringContaining("upstream") })
  })

  it("a stream that is cut within its last message has all of the answer but its end", async () => {
    expect((await failing("ends:cut", true)).content).toMatchObject([{ text: spoken.text }])
  })

  it("a wrong key is the operator's trouble, and the log names the setting", async () => {
    await expect(failing("Hi", false, "wrong")).rejects.toMatchObject({ status: 500 })
    await expect.poll(() => gateway.output()).toContain("upstreams.wrong.api_key")
    expect(gateway.output()).not.toContain("bedrock-api-key-of-another")
  })
})

describe("Claude at Bedrock, behind /anthropic", () => {
  it.each(["plain", "plain-keyed"])("is Anthropic's own wire, whole, streamed and for a count (%s)", async (model) => {
    expect((await anthropic.messages.create({ model, ...asked })).content).toMatchObject([{ text: spoken.text }])
    expect(await sent()).toMatchObject({
      path: "/anthropic/v1/messages",
      by: model === "plain" ? "signature" : "key",
      body: { model: id, ...asked }
    })
    expect((await bedrock.last()).headers.get("anthropic-version")).toMatch(/^20\d\d-\d\d-\d\d$/)
    expect(await anthropic.messages.stream({ model, ...asked }).finalText()).toBe(spoken.text)
    const { max_tokens: _, ...counted } = asked
    expect((await anthropic.messages.countTokens({ model, ...counted })).input_tokens).toBe(9)
    expect((await sent()).path).toBe("/anthropic/v1/messages/count_tokens")
  })
})
