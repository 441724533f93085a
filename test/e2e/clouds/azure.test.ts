import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { AnthropicFoundry } from "@anthropic-ai/foundry-sdk"
import Anthropic from "@anthropic-ai/sdk"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import OpenAI, { AzureOpenAI } from "openai"
import { azureKey, entraToken } from "../../upstreams/fakes/azure.ts"
import { spoken } from "../../upstreams/fakes/scenarios.ts"
import { startCloud } from "../../upstreams/fakes/startCloud.ts"
import { startGateway } from "../process.ts"
import type { GatewayProcess } from "../process.ts"

const azure = await startCloud("azure")
const deployments = `${azure.url}/openai?api-version=2024-10-21`
const v1 = `${azure.url}/openai/v1`

let gateway: GatewayProcess
let openai: OpenAI
let anthropic: Anthropic
beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), "gateway-azure-"))
  const entra = { kind: "azure", tenant_id: "tenant", client_id: "client", client_secret: "client-secret-0123456789" }
  const chat = { protocol: "openai-chat", provider: "azure", api_key: azureKey }
  const responses = { protocol: "openai-responses", provider: "azure", api_key: azureKey }
  const claude = { protocol: "anthropic-messages", provider: "foundry", base_url: `${azure.url}/anthropic` }
  const upstreams = {
    chat: { ...chat, base_url: v1 },
    responses: { ...responses, base_url: v1 },
    "old-chat": { ...chat, base_url: deployments },
    "old-responses": { ...responses, base_url: deployments },
    entra: { protocol: "openai-responses", provider: "azure", base_url: v1, auth: entra },
    claude: { ...claude, api_key: azureKey },
    "claude-entra": { ...claude, auth: entra },
    wrong: { ...chat, base_url: v1, api_key: "azure-key-of-another-resource" }
  }
  const model = (upstream: string) => (upstream.startsWith("claude") ? "house-claude" : "house-gpt")
  const models = {
    ...Object.fromEntries(
      Object.keys(upstreams).map((upstream) => [upstream, { routes: [{ upstream, model: model(upstream) }] }])
    ),
    embeddings: { routes: [{ upstream: "old-chat", model: "house-embeddings" }] },
    missing: { routes: [{ upstream: "old-chat", model: "house/none" }] }
  }
  writeFileSync(join(folder, "gateway.yaml"), JSON.stringify({ upstreams, models }))
  gateway = await startGateway({ folder, env: { AZURE_AUTHORITY_HOST: azure.url } })
  openai = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.key, maxRetries: 0 })
  anthropic = new Anthropic({ baseURL: gateway.url, apiKey: gateway.key, maxRetries: 0 })
})
afterAll(async () => {
  await gateway.dispose()
  await azure.stop()
})

const sent = async () => {
  const { body, by, path, query } = await azure.last()
  return { address: path + query, by, body }
}

const messages = [{ role: "user" as const, content: "Hi" }]
const tools = [
  { type: "function" as const, function: { name: "look", parameters: { type: "object", properties: {} } } }
]

/** The gateway's differences from the SDKs. */
const differing = {
  /** `stream: false` is what an absent one means. */
  whole: { stream: false },
  /** Usage is always asked for, for the account. */
  streamed: { stream: true, stream_options: { include_usage: true } }
}

describe("GPT at Azure, at the addresses of deployments", () => {
  const own = new AzureOpenAI({ endpoint: azure.url, apiKey: azureKey, apiVersion: "2024-10-21", maxRetries: 0 })

  it("is asked as AzureOpenAI asks it: chat, whole and streamed", async () => {
    expect((await own.chat.completions.create({ model: "house-gpt", messages, tools })).choices).toHaveLength(1)
    const whole = await sent()
    const answer = await openai.chat.completions.create({ model: "old-chat", messages, tools })
    expect(answer.choices[0]?.message.content).toBe(spoken.text)
    expect(answer).toMatchObject({ model: "old-chat", prompt_filter_results: [{ prompt_index: 0 }] })
    expect(await sent()).toEqual({ ...whole, body: { ...whole.body, ...differing.whole } })
    expect(whole).toMatchObject({
      by: "api-key",
      address: "/openai/deployments/house-gpt/chat/completions?api-version=2024-10-21"
    })

    const stream = own.chat.completions.stream({ model: "house-gpt", messages, tools })
    expect(await stream.finalContent()).toBe(spoken.text)
    const streamed = await sent()
    expect(await openai.chat.completions.stream({ model: "old-chat", messages, tools }).finalContent()).toBe(
      spoken.text
    )
    expect(await sent()).toEqual({ ...streamed, body: { ...streamed.body, ...differing.streamed } })
  })

  it("is asked as AzureOpenAI asks it: responses, which name no deployment in the path, and embeddings", async () => {
    expect((await own.responses.create({ model: "house-gpt", input: "Hi", store: false })).output_text).toBe(
      spoken.text
    )
    const whole = await sent()
    expect((await openai.responses.create({ model: "old-responses", input: "Hi" })).output_text).toBe(spoken.text)
    expect(await sent()).toEqual({ ...whole, body: { ...whole.body, ...differing.whole } })
    expect(whole.address).toBe("/openai/responses?api-version=2024-10-21")

    const input = { input: "Hi", encoding_format: "float" as const }
    await own.embeddings.create({ model: "house-embeddings", ...input })
    const embedded = await sent()
    await openai.embeddings.create({ model: "embeddings", ...input })
    expect(await sent()).toEqual(embedded)
    expect(embedded.address).toBe("/openai/deployments/house-embeddings/embeddings?api-version=2024-10-21")
  })

  it("a deployment that is not there, and a wrong key, are told to the operator by their setting", async () => {
    const failing = (model: string) =>
      openai.chat.completions.create({ model, messages }).catch((error: unknown) => error)
    expect(await failing("missing")).toMatchObject({ status: 500 })
    expect((await azure.last()).path).toBe("/openai/deployments/house%2Fnone/chat/completions")
    expect(await failing("wrong")).toMatchObject({ status: 500 })
    await expect.poll(() => gateway.output()).toContain("upstreams.wrong.api_key")
    expect(gateway.output()).not.toContain("azure-key-of-another")
  })
})

describe("GPT at Azure, behind /openai/v1", () => {
  it("is asked as OpenAI's SDK asks it, with Azure's header for the key", async () => {
    const own = new OpenAI({ baseURL: v1, apiKey: azureKey, maxRetries: 0 })
    await own.responses.create({ model: "house-gpt", input: "Hi", store: false })
    const whole = await sent()
    await openai.responses.create({ model: "responses", input: "Hi" })
    expect(await sent()).toEqual({
      ...whole,
      by: "api-key",
      body: { ...whole.body, ...differing.whole }
    })
    expect(whole).toMatchObject({ by: "bearer key", address: "/openai/v1/responses" })

    await own.chat.completions.create({ model: "house-gpt", messages, tools })
    const chat = await sent()
    await openai.chat.completions.create({ model: "chat", messages, tools })
    expect(await sent()).toEqual({ ...chat, by: "api-key", body: { ...chat.body, ...differing.whole } })
  })

  it("is asked with a token of Entra, as AzureOpenAI asks it", async () => {
    const azureADTokenProvider = () => Promise.resolve(entraToken)
    const own = new AzureOpenAI({ baseURL: v1, azureADTokenProvider, apiVersion: "preview", maxRetries: 0 })
    await own.responses.create({ model: "house-gpt", input: "Hi", store: false })
    expect(await sent()).toMatchObject({ by: "token" })
    await openai.responses.create({ model: "entra", input: "Hi" })
    expect(await sent()).toMatchObject({ by: "token", address: "/openai/v1/responses" })
    expect((await azure.last()).headers.get("api-key")).toBeNull()
  })

  it("answers clients of the other families", async () => {
    const message = await anthropic.messages.create({ model: "chat", max_tokens: 100, system: "Be brief.", messages })
    expect(message.content).toMatchObject([{ text: spoken.text }])
    // Older versions of Azure's interface know no developer role.
    expect((await azure.last()).body.messages[0]).toMatchObject({ role: "system" })
    const finished = await anthropic.messages.stream({ model: "responses", max_tokens: 100, messages }).finalText()
    expect(finished).toBe(spoken.text)
  })
})

/** What each family's client reads of an answer, whole and streamed. */
const read = {
  chat: async (model: string, text: string, stream: boolean) => {
    const asked = { model, messages: [{ role: "user" as const, content: text }] }
    const { choices } = stream
      ? await openai.chat.completions.stream(asked).finalChatCompletion()
      : await openai.chat.completions.create(asked)
    return { text: choices[0]?.message.content, end: choices[0]?.finish_reason }
  },
  responses: async (model: string, text: string, stream: boolean) => {
    const asked = { model, input: text }
    const { incomplete_details, output_text, status } = stream
      ? await openai.responses.stream(asked).finalResponse()
      : await openai.responses.create(asked)
    return { text: output_text, end: incomplete_details?.reason ?? status }
  },
  messages: async (model: string, text: string, stream: boolean) => {
    const asked = { model, max_tokens: 100, messages: [{ role: "user" as const, content: text }] }
    const { content, stop_reason } = stream
      ? await anthropic.messages.stream(asked).finalMessage()
      : await anthropic.messages.create(asked)
    return { text: content[0]?.type === "text" ? content[0].text : undefined, end: stop_reason }
  }
} as const

const ends = {
  chat: ["stop", "content_filter"],
  responses: ["completed", "content_filter"],
  messages: ["end_turn", "refusal"]
} as const

const cells = (["chat", "responses", "messages"] as const).flatMap((family) =>
  (["chat", "responses"] as const).flatMap((model) =>
    [false, true].map((stream) => ({ family, model, stream, as: stream ? "streamed" : "whole" }))
  )
)

describe.each(cells)("Azure's filter: $family from $model, $as", ({ family, model, stream }) => {
  it("lets an answer pass", async () => {
    const answer = { text: spoken.text, end: ends[family][0] }
    expect(await read[family](model, "Hi", stream)).toEqual(answer)
    expect(await read[family](model, "filter:async", stream)).toEqual(answer)
  })

  it("cuts an answer", async () => {
    expect(await read[family](model, "filter:answer", stream)).toMatchObject({ end: ends[family][1] })
  })

  it("blocks a prompt", async () => {
    const refused = await read[family](model, "filter:prompt", stream).catch((error: unknown) => error)
    expect(refused).toMatchObject({ status: 400, message: expect.stringContaining("content management policy") })
    const verdict = {
      code: "ResponsibleAIPolicyViolation",
      content_filter_result: { jailbreak: { filtered: true, detected: true } }
    }
    expect(refused).toMatchObject(
      family === "messages"
        ? { error: { error: { details: { innererror: verdict } } } }
        : { code: "content_filter", error: { innererror: verdict } }
    )
  })
})

describe("Claude at Foundry", () => {
  const baseURL = `${azure.url}/anthropic/`
  const asked = {
    max_tokens: 100,
    system: "Be brief.",
    messages,
    tools: [{ name: "look", input_schema: { type: "object" as const } }]
  }

  it.each([
    ["claude", new AnthropicFoundry({ baseURL, apiKey: azureKey, maxRetries: 0 })],
    [
      "claude-entra",
      new AnthropicFoundry({ baseURL, azureADTokenProvider: () => Promise.resolve(entraToken), maxRetries: 0 })
    ]
  ])("is asked as Anthropic's SDK for Foundry asks it (%s)", async (model, own) => {
    const heard = async () => ({ ...(await sent()), version: (await azure.last()).headers.get("anthropic-version") })
    await own.messages.create({ model: "house-claude", ...asked })
    const whole = await heard()
    expect((await anthropic.messages.create({ model, ...asked })).content).toMatchObject([{ text: spoken.text }])
    expect(await heard()).toEqual({ ...whole, body: { ...whole.body, ...differing.whole } })
    expect(whole).toMatchObject({ address: "/anthropic/v1/messages", by: model === "claude" ? "x-api-key" : "token" })

    expect(await own.messages.stream({ model: "house-claude", ...asked }).finalText()).toBe(spoken.text)
    const streamed = await heard()
    expect(await anthropic.messages.stream({ model, ...asked }).finalText()).toBe(spoken.text)
    expect(await heard()).toEqual(streamed)

    const { max_tokens: _, ...counted } = asked
    expect((await anthropic.messages.countTokens({ model, ...counted })).input_tokens).toBe(9)
    expect((await azure.last()).path).toBe("/anthropic/v1/messages/count_tokens")
  })
})
