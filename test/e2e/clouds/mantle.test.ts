import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { AnthropicAws } from "@anthropic-ai/aws-sdk"
import { AnthropicBedrockMantle } from "@anthropic-ai/bedrock-sdk"
import Anthropic from "@anthropic-ai/sdk"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import OpenAI, { BedrockOpenAI } from "openai"
import { awsKey, awsKeys, fakeMantle, workspace } from "../../upstreams/fakes/mantle.ts"
import { spoken } from "../../upstreams/fakes/scenarios.ts"
import { startGateway } from "../../gatewayHere.ts"
import type { GatewayHere } from "../../gatewayHere.ts"

const aws = fakeMantle()
const openaiRuntime = `${aws.at("bedrock-runtime")}/openai/v1`
const openaiMantle = `${aws.at("bedrock-mantle")}/openai/v1`
const claudeMantle = `${aws.at("bedrock-mantle")}/anthropic`
const platform = aws.at("aws-external-anthropic")

let gateway: GatewayHere
let openai: OpenAI
let anthropic: Anthropic
beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), "gateway-mantle-"))
  const auth = { kind: "aws", access_key_id: awsKeys.accessKeyId, secret_access_key: awsKeys.secretAccessKey }
  const keyed = { api_key: awsKey }
  const inWorkspace = { base_url: platform, headers: { "anthropic-workspace-id": workspace } }
  const upstreams = {
    runtime: { protocol: "openai-chat", base_url: openaiRuntime, auth },
    "runtime-keyed": { protocol: "openai-responses", base_url: openaiRuntime, ...keyed },
    mantle: { protocol: "openai-responses", base_url: openaiMantle, auth },
    "mantle-keyed": { protocol: "openai-chat", base_url: openaiMantle, ...keyed },
    claude: { protocol: "anthropic-messages", base_url: claudeMantle, auth },
    "claude-keyed": { protocol: "anthropic-messages", base_url: claudeMantle, ...keyed },
    platform: { protocol: "anthropic-messages", ...inWorkspace, auth },
    "platform-keyed": { protocol: "anthropic-messages", ...inWorkspace, ...keyed }
  }
  const idAt = (upstream: string) =>
    upstream.startsWith("claude")
      ? "anthropic.claude-sonnet-4-5"
      : upstream.startsWith("platform")
        ? "claude-opus-5-5"
        : "openai.gpt-oss-120b-1:0"
  const models = Object.fromEntries(
    Object.keys(upstreams).map((upstream) => [upstream, { routes: [{ upstream, model: idAt(upstream) }] }])
  )
  writeFileSync(join(folder, "gateway.yaml"), JSON.stringify({ upstreams, models }))
  gateway = await startGateway({ folder })
  openai = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.key, maxRetries: 0 })
  anthropic = new Anthropic({ baseURL: gateway.url, apiKey: gateway.key, maxRetries: 0 })
})
afterAll(async () => {
  await gateway.dispose()
  await aws.stop()
})

/** The SDKs leave `stream: false` out, which is the same. */
const sent = () => {
  const { body, by, headers, host, path } = aws.last()
  return {
    host,
    path,
    by,
    body: { ...body, stream: body.stream === true },
    version: headers.get("anthropic-version"),
    workspace: headers.get("anthropic-workspace-id"),
    apiKey: headers.get("x-api-key")
  }
}

const messages = [{ role: "user" as const, content: "Hi" }]

describe("OpenAI's wire at Bedrock", () => {
  it.each([
    ["mantle", openaiMantle, "signature"],
    ["runtime-keyed", openaiRuntime, "bearer"]
  ])("responses are asked for as BedrockOpenAI does (%s)", async (model, baseURL, by) => {
    const own = new BedrockOpenAI({ baseURL, apiKey: awsKey, maxRetries: 0 })
    const asked = { input: "Hi", instructions: "Be brief.", store: false }
    const id = "openai.gpt-oss-120b-1:0"
    expect((await own.responses.create({ model: id, ...asked })).output_text).toBe(spoken.text)
    const whole = sent()
    expect((await openai.responses.create({ model, ...asked })).output_text).toBe(spoken.text)
    expect(sent()).toEqual({ ...whole, by })
    expect((await own.responses.stream({ model: id, ...asked }).finalResponse()).output_text).toBe(spoken.text)
    const streamed = sent()
    expect((await openai.responses.stream({ model, ...asked }).finalResponse()).output_text).toBe(spoken.text)
    expect(sent()).toEqual({ ...streamed, by })
  })

  it.each([
    ["runtime", "signature"],
    ["mantle-keyed", "bearer"]
  ])("chat and messages are answered by it (%s)", async (model, by) => {
    const { choices } = await openai.chat.completions.create({ model, messages })
    expect(choices[0]?.message.content).toBe(spoken.text)
    expect(sent()).toMatchObject({ by, path: "/openai/v1/chat/completions", body: { messages } })
    expect(await anthropic.messages.stream({ model, max_tokens: 9, messages }).finalText()).toBe(spoken.text)
  })
})

describe("Anthropic's wire at AWS", () => {
  const asked = {
    max_tokens: 100,
    system: "Be brief.",
    messages,
    tools: [{ name: "look", input_schema: { type: "object" as const } }]
  }
  const signing = {
    awsAccessKey: awsKeys.accessKeyId,
    awsSecretAccessKey: awsKeys.secretAccessKey,
    awsRegion: "eu-west-1"
  }
  const mantle = { baseURL: claudeMantle, maxRetries: 0 }
  const inWorkspace = { baseURL: platform, workspaceId: workspace, maxRetries: 0 }

  it.each([
    ["claude", "anthropic.claude-sonnet-4-5", new AnthropicBedrockMantle({ ...mantle, ...signing })],
    ["claude-keyed", "anthropic.claude-sonnet-4-5", new AnthropicBedrockMantle({ ...mantle, apiKey: awsKey })],
    ["platform", "claude-opus-5-5", new AnthropicAws({ ...inWorkspace, ...signing })],
    ["platform-keyed", "claude-opus-5-5", new AnthropicAws({ ...inWorkspace, apiKey: awsKey })]
  ] as const)("is asked as Anthropic's SDK for the place asks it (%s)", async (model, id, own) => {
    await own.messages.create({ model: id, ...asked })
    const whole = sent()
    expect((await anthropic.messages.create({ model, ...asked })).content).toMatchObject([{ text: spoken.text }])
    expect(sent()).toEqual(whole)
    expect(whole).toMatchObject({ by: model.endsWith("keyed") ? "bearer" : "signature", apiKey: null })

    expect(await own.messages.stream({ model: id, ...asked }).finalText()).toBe(spoken.text)
    const streamed = sent()
    expect(await anthropic.messages.stream({ model, ...asked }).finalText()).toBe(spoken.text)
    expect(sent()).toEqual(streamed)

    const { max_tokens: _, ...counted } = asked
    expect((await anthropic.messages.countTokens({ model, ...counted })).input_tokens).toBe(9)
    expect(sent().path).toMatch(/\/v1\/messages\/count_tokens$/)

    const betas = ["context-1m-2025-08-07", "interleaved-thinking-2025-05-14"]
    await anthropic.beta.messages.create({ model, ...asked, betas })
    expect(aws.last().headers.get("anthropic-beta")).toBe(betas.join(","))
  })

  it("is told the first version for callers of other families, whose sampling it may refuse under the next one", async () => {
    await openai.chat.completions.create({ model: "claude", messages, temperature: 0.5 })
    expect(sent()).toMatchObject({ version: "2023-06-01", body: { temperature: 0.5 } })
    const answer = await fetch(`${gateway.url}/v1/messages`, {
      method: "POST",
      headers: { "x-api-key": gateway.key, "anthropic-version": "2026-10-21" },
      // Passed on as it is: the upstream itself judges it under that version.
      body: JSON.stringify({ model: "claude", ...asked, temperature: 1 })
    })
    expect(answer.status).toBe(200)
    expect(sent()).toMatchObject({ version: "2026-10-21", body: { temperature: 1 } })
  })
})
