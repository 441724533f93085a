import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import Anthropic from "@anthropic-ai/sdk"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import OpenAI from "openai"
import { bedrockKeys } from "../../upstreams/fakes/bedrock.ts"
import { spoken } from "../../upstreams/fakes/scenarios.ts"
import { startCloud } from "../../upstreams/fakes/startCloud.ts"
import { startGateway } from "../../gatewayHere.ts"
import type { GatewayHere } from "../../gatewayHere.ts"
import { callTurns, expectWhole, images, loopByChat, loopByMessages, loopByResponses, timesIn } from "./loops.ts"

const bedrock = await startCloud("bedrock")
const names = {
  "claude-by-invoke": "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
  "claude-by-converse": "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
  nova: "us.amazon.nova-2-lite-v1:0"
} as const
type Name = keyof typeof names
const all: ReadonlyArray<Name> = ["claude-by-invoke", "claude-by-converse", "nova"]

let gateway: GatewayHere
let anthropic: Anthropic
let openai: OpenAI
beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), "gateway-loops-"))
  const auth = { kind: "aws", access_key_id: bedrockKeys.accessKeyId, secret_access_key: bedrockKeys.secretAccessKey }
  const place = { base_url: bedrock.url, auth, region: "us-east-1" }
  const upstreams = {
    invoke: { ...place, protocol: "anthropic-messages", provider: "bedrock" },
    converse: { ...place, protocol: "bedrock-converse" }
  }
  const models = Object.fromEntries(
    all.map((name) => [
      name,
      { routes: [{ upstream: name === "claude-by-invoke" ? "invoke" : "converse", model: names[name] }] }
    ])
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

/** The conversation as the upstream saw it in the end. */
const expectAll = async (name: Name, shown: number) => {
  const { body, by } = await bedrock.last()
  const sent = JSON.stringify(body)
  expect(by).toBe("signature")
  expectWhole(sent, shown, /"(?:tool_use_id|toolUseId)":"(\w+)"/g)
  expect(timesIn(sent, spoken.signature)).toBe(name === "nova" ? 0 : callTurns)
}

describe.each(all)("a loop of twenty turns with tools, images and thinking on %s", (model) => {
  it("by messages", async () => {
    await loopByMessages(anthropic, model)
    await expectAll(model, images.messages)
  })

  it("by responses", async () => {
    await loopByResponses(openai, model)
    await expectAll(model, images.responses)
  })

  it("by chat completions", async () => {
    await loopByChat(openai, model)
    await expectAll(model, images.chat)
  })
})
