import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import Anthropic from "@anthropic-ai/sdk"
import { BedrockRuntimeClient, ConverseCommand, ConverseStreamCommand } from "@aws-sdk/client-bedrock-runtime"
import type { ConverseCommandInput, ConverseStreamOutput } from "@aws-sdk/client-bedrock-runtime"
import { FetchHttpHandler } from "@smithy/fetch-http-handler"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import OpenAI from "openai"
import { pixel } from "../../upstreams/conversations.ts"
import { bedrockKey, bedrockKeys } from "../../upstreams/fakes/bedrock.ts"
import { spoken } from "../../upstreams/fakes/scenarios.ts"
import { startCloud } from "../../upstreams/fakes/startCloud.ts"
import { startGateway } from "../../gatewayHere.ts"
import type { GatewayHere } from "../../gatewayHere.ts"

const bedrock = await startCloud("bedrock")
const claude = "us.anthropic.claude-sonnet-4-5-20250929-v1:0"
const nova = "us.amazon.nova-2-lite-v1:0"

let gateway: GatewayHere
let anthropic: Anthropic
let openai: OpenAI
beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), "gateway-converse-"))
  const auth = { kind: "aws", access_key_id: bedrockKeys.accessKeyId, secret_access_key: bedrockKeys.secretAccessKey }
  const place = { protocol: "bedrock-converse", base_url: bedrock.url }
  const upstreams = {
    signed: { ...place, auth, region: "us-east-1" },
    keyed: { ...place, api_key: bedrockKey },
    guarded: { ...place, auth, region: "us-east-1", guardrail: { id: "gr-house-0123", version: "3" } },
    wrong: { ...place, auth: { ...auth, secret_access_key: "another-secret-0123456789" }, region: "us-east-1" }
  }
  const models = {
    claude: { routes: [{ upstream: "signed", model: claude }] },
    nova: { routes: [{ upstream: "keyed", model: nova }] },
    guarded: { routes: [{ upstream: "guarded", model: claude }] },
    wrong: { routes: [{ upstream: "wrong", model: nova }] }
  }
  writeFileSync(join(folder, "gateway.yaml"), JSON.stringify({ upstreams, models }))
  gateway = await startGateway({ folder })
  anthropic = new Anthropic({ baseURL: gateway.url, apiKey: gateway.key, maxRetries: 0 })
  openai = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.key, maxRetries: 0 })
})
afterAll(async () => {
  await gateway.dispose()
  await bedrock.stop()
})

/** Its own handler speaks HTTP/2 alone. */
const own = new BedrockRuntimeClient({
  region: "us-east-1",
  endpoint: bedrock.url,
  credentials: bedrockKeys,
  requestHandler: new FetchHttpHandler(),
  maxAttempts: 1
})

const sent = async () => {
  const { body, by, path } = await bedrock.last()
  return { path, body, by }
}

const parameters = { type: "object", properties: { city: { type: "string" } }, required: ["city"] }

/** One intent, as the SDK says it. */
const intent = (text: string): ConverseCommandInput => ({
  modelId: claude,
  system: [{ text: "Be brief." }],
  messages: [
    {
      role: "user",
      content: [{ text }, { image: { format: "png", source: { bytes: Buffer.from(pixel, "base64") } } }]
    }
  ],
  inferenceConfig: { maxTokens: 4_000 },
  toolConfig: {
    tools: [{ toolSpec: { name: "get_weather", description: "The weather", inputSchema: { json: parameters } } }]
  },
  additionalModelRequestFields: { thinking: { type: "enabled", budget_tokens: 2_000 } }
})

/** The same by the messages API. */
const params = (text: string) => ({
  model: "claude",
  system: "Be brief.",
  max_tokens: 4_000,
  thinking: { type: "enabled" as const, budget_tokens: 2_000 },
  tools: [
    { name: "get_weather", description: "The weather", input_schema: { ...parameters, type: "object" as const } }
  ],
  messages: [
    {
      role: "user" as const,
      content: [
        { type: "text" as const, text },
        { type: "image" as const, source: { type: "base64" as const, media_type: "image/png" as const, data: pixel } }
      ]
    }
  ]
})

describe("Bedrock's Converse", () => {
  it("is asked as AWS's SDK asks it, whole and streamed", async () => {
    const { output, stopReason, usage } = await own.send(new ConverseCommand(intent("play:reasoning-tools")))
    const direct = await sent()
    expect([stopReason, usage?.inputTokens, usage?.cacheReadInputTokens]).toEqual(["tool_use", 15, 5])
    expect(output?.message?.content).toMatchObject([
      { reasoningContent: { reasoningText: { text: spoken.thought, signature: spoken.signature } } },
      { toolUse: { name: "get_weather", input: { city: spoken.city } } }
    ])
    const answer = await anthropic.messages.create(params("play:reasoning-tools"))
    expect(answer.content).toMatchObject([
      { type: "thinking", thinking: spoken.thought },
      { type: "tool_use", name: "get_weather", input: { city: spoken.city } }
    ])
    expect(answer.usage).toMatchObject({ input_tokens: 15, cache_read_input_tokens: 5, output_tokens: 8 })
    expect(await sent()).toEqual(direct)

    const { stream } = await own.send(new ConverseStreamCommand(intent("play:text")))
    const events: Array<ConverseStreamOutput> = []
    for await (const event of stream ?? []) events.push(event)
    const streamed = await sent()
    expect(events.map((event) => event.contentBlockDelta?.delta?.text ?? "").join("")).toBe(spoken.text)
    expect(events.at(-1)?.metadata?.usage).toMatchObject({ inputTokens: 15, outputTokens: 8 })
    expect(await anthropic.messages.stream(params("play:text")).finalText()).toBe(spoken.text)
    expect(await sent()).toEqual(streamed)
    expect(streamed.path).toBe(`/model/${encodeURIComponent(claude)}/converse-stream`)
  })

  it("names the upstream's guardrail as AWS's SDK names it, and an answer that it blocks is a refusal", async () => {
    const guardrailConfig = { guardrailIdentifier: "gr-house-0123", guardrailVersion: "3" }
    const guarded = { ...intent("play:refusal"), guardrailConfig }
    expect((await own.send(new ConverseCommand(guarded))).stopReason).toBe("guardrail_intervened")
    const direct = await sent()
    expect(direct.body.guardrailConfig).toEqual(guardrailConfig)
    const answer = await anthropic.messages.create({ ...params("play:refusal"), model: "guarded" })
    expect(answer.stop_reason).toBe("refusal")
    expect(await sent()).toEqual(direct)
    const chat = { model: "guarded", messages: [{ role: "user" as const, content: "play:refusal" }] }
    const { choices } = await openai.chat.completions.stream(chat).finalChatCompletion()
    expect(choices[0]?.finish_reason).toBe("content_filter")
    expect((await sent()).body.guardrailConfig).toEqual(guardrailConfig)
  })

  it("answers clients of all families, and knows a key too", async () => {
    const chat = await openai.chat.completions.create({
      model: "nova",
      messages: [{ role: "user", content: "play:parallel-tools" }],
      tools: [{ type: "function", function: { name: "get_weather", parameters } }]
    })
    expect(chat.choices[0]?.finish_reason).toBe("tool_calls")
    expect(chat.choices[0]?.message.tool_calls).toHaveLength(2)
    expect((await sent()).by).toBe("key")
    const response = await openai.responses
      .stream({ model: "nova", input: "play:reasoning", reasoning: { effort: "medium", summary: "auto" } })
      .finalResponse()
    expect(response.output.map(({ type }) => type)).toEqual(["reasoning", "message"])
    expect(response.usage).toMatchObject({ input_tokens: 20, output_tokens: 8 })
    expect((await sent()).body.additionalModelRequestFields).toEqual({
      reasoningConfig: { type: "enabled", maxReasoningEffort: "medium" }
    })
  })

  const failing = (text: string, stream: boolean, model = "claude") => {
    const asked = { model, max_tokens: 100, messages: [{ role: "user" as const, content: text }] }
    return (
      stream ? anthropic.messages.stream(asked).finalMessage() : anthropic.messages.create({ ...asked, stream: false })
    ).catch((error: unknown) => error)
  }

  it("says what an error means, and an exception inside a 200", async () => {
    expect(await failing("fails:ValidationException", true)).toMatchObject({ status: 400 })
    expect(await failing("fails:ServiceQuotaExceededException", false)).toMatchObject({ status: 429 })
    expect(await failing("fails:ModelErrorException", true)).toMatchObject({ status: 500 })
    expect(await failing("ends:throttlingException", true)).toMatchObject({ status: 429 })
    expect(await failing("ends:validationException", true)).toMatchObject({ status: 400 })
    expect(await failing("late: ends:serviceUnavailableException", true)).toMatchObject({
      status: undefined,
      message: expect.stringContaining("upstream")
    })
    const direct = await own
      .send(new ConverseCommand({ ...intent("fails:ThrottlingException") }))
      .catch((e: unknown) => e)
    expect(direct).toMatchObject({ name: "ThrottlingException", $metadata: { httpStatusCode: 429 } })
  })

  it("a signature that is wrong is the operator's trouble", async () => {
    expect(await failing("Hi", false, "wrong")).toMatchObject({ status: 500 })
    expect(gateway.output()).not.toContain("another-secret-0123456789")
  })
})
