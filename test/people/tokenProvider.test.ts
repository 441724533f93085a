import { appendFileSync } from "node:fs"
import { join } from "node:path"
import Anthropic from "@anthropic-ai/sdk"
import OpenAI from "openai"
import { afterAll, beforeAll, expect, it } from "vitest"
import { startGateway } from "../gatewayHere.ts"
import type { GatewayHere } from "../gatewayHere.ts"
import { startProvider } from "./startProvider.ts"
import { Visitor } from "./visitor.ts"

const audience = "https://gateway.corp.test/"
let provider: Awaited<ReturnType<typeof startProvider>>
let gateway: GatewayHere

beforeAll(async () => {
  provider = await startProvider()
  appendFileSync(
    join(provider.folder, "gateway.yaml"),
    `  jwt: [{ issuer: "${provider.issuer}", audience: "${audience}", account: batch, subject: client_id }]\n`
  )
  gateway = await startGateway({ folder: provider.folder, env: provider.env })
})
afterAll(async () => {
  await gateway.dispose()
  await provider.stop()
})

/** An access token by the client's own credentials. */
const tokenFor = async (resource: string): Promise<string> => {
  const answer = await fetch(`${provider.issuer}/token`, {
    method: "POST",
    headers: { authorization: `Basic ${btoa("batch:batch-secret")}` },
    body: new URLSearchParams({ grant_type: "client_credentials", scope: "models", resource })
  })
  const { access_token: token } = await answer.json()
  return String(token)
}

const message = [{ role: "user" as const, content: "hello" }]

it("a program calls with the token of its provider, by the official clients, beside people who sign in there", async () => {
  const token = await tokenFor(audience)
  expect(token.split(".")).toHaveLength(3)
  const openai = new OpenAI({ apiKey: token, baseURL: `${gateway.url}/v1`, maxRetries: 0 })
  const chat = await openai.chat.completions.create({ model: "sandbox-text", messages: message })
  expect(chat.choices).toHaveLength(1)
  for (const own of [{ apiKey: token }, { authToken: token, apiKey: null }]) {
    const anthropic = new Anthropic({ ...own, baseURL: gateway.url, maxRetries: 0 })
    const answer = await anthropic.messages.create({ model: "sandbox-text", max_tokens: 50, messages: message })
    expect(answer.content.length).toBeGreaterThan(0)
  }
  const ann = new Visitor()
  await ann.signIn(gateway.url, "ann")
  const keys = await (await ann.send(`${gateway.url}/admin/v1/keys?account=batch`)).json()
  expect(keys.data).toMatchObject([{ name: `batch at ${new URL(provider.issuer).host}`, account: "batch" }])
  const other = new OpenAI({ apiKey: await tokenFor("https://other.corp.test/"), baseURL: `${gateway.url}/v1` })
  await expect(other.models.list()).rejects.toMatchObject({
    status: 401,
    message: expect.stringContaining("another audience")
  })
})
