import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import type { GatewayProcess } from "../e2e/process.ts"
import { startGateway } from "../e2e/process.ts"
import { azureKey } from "../upstreams/fakes/azure.ts"
import { bedrockKeys } from "../upstreams/fakes/bedrock.ts"

/** The caller's ids of models at one fake upstream a dialect, and those that Claude Code has by default. */
export const models = ["at-messages", "at-responses", "at-chat"] as const
const defaults = ["claude-opus-5-5", "claude-sonnet-5-5", "claude-haiku-5-5", "gpt-6.2-sol"]
/** The upstreams that Codex's requests are translated for. Codex knows a model by how its id begins. */
export const translating = ["messages", "chat"] as const

const yaml = (url: string, bedrock: string, azure: string, gemini: string) => ({
  upstreams: {
    messages: { protocol: "anthropic-messages", base_url: url, api_key: "unused" },
    responses: { protocol: "openai-responses", base_url: `${url}/v1`, api_key: "unused" },
    chat: { protocol: "openai-chat", base_url: `${url}/v1`, provider: "vllm" },
    bedrock: {
      provider: "bedrock",
      base_url: bedrock,
      region: "us-east-1",
      auth: { kind: "aws", access_key_id: bedrockKeys.accessKeyId, secret_access_key: bedrockKeys.secretAccessKey }
    },
    gemini: { provider: "gemini", base_url: gemini, api_key: "google-key-0123456789" },
    azure: {
      provider: "azure",
      base_url: azure,
      resource: "house",
      api_key: azureKey,
      models: { "house-gpt": "gpt-5.1-codex" }
    }
  },
  models: {
    "at-messages": { routes: [{ upstream: "messages", model: "claude-sonnet-5-5" }] },
    "at-responses": { routes: [{ upstream: "responses", model: "gpt-5.1-codex" }] },
    "at-chat": { routes: [{ upstream: "chat", model: "qwen3-32b" }] },
    "at-bedrock": { routes: [{ upstream: "bedrock", model: "us.anthropic.claude-sonnet-5-5" }] },
    "at-gemini": { routes: [{ upstream: "gemini", model: "gemini-3.8-flash" }] },
    "at-azure": { routes: [{ upstream: "azure", model: "house-gpt" }] },
    ...Object.fromEntries(defaults.map((id) => [id, { routes: [{ upstream: "chat", model: "qwen3-32b" }] }])),
    ...Object.fromEntries(
      ["gpt-6.2-sol", "gpt-5.5"].flatMap((id) => [
        [`${id}-at-messages`, { routes: [{ upstream: "messages", model: "claude-sonnet-5-5" }] }],
        [`${id}-at-chat`, { routes: [{ upstream: "chat", model: "qwen3-32b" }] }]
      ])
    )
  }
})

export interface World {
  readonly gateway: GatewayProcess
  /** The statuses that the gateway has answered with since this was last asked. */
  readonly answered: () => Promise<ReadonlyArray<number>>
  readonly dispose: () => Promise<void>
}

interface WorldOptions {
  /** More of its configuration. */
  readonly settings?: object
  readonly env?: Readonly<Record<string, string>>
}

/** A gateway and its upstreams, in processes of their own. */
export const startWorld = async ({ env = {}, settings = {} }: WorldOptions = {}): Promise<World> => {
  const upstream = Bun.spawn([process.execPath, resolve(import.meta.dirname, "upstream", "main.ts")], {
    stdout: "pipe",
    stderr: "inherit"
  })
  const [url = "", bedrock = "", azure = "", gemini = ""] = (await firstLine(upstream.stdout)).split(" ")
  const folder = mkdtempSync(join(tmpdir(), "gateway-agents-"))
  writeFileSync(join(folder, "gateway.yaml"), JSON.stringify({ ...yaml(url, bedrock, azure, gemini), ...settings }))
  const gateway = await startGateway({ folder, env })
  let read = 0
  let marks = 0
  const told = () =>
    [...gateway.output().matchAll(/"path":"(?!\/mark)[^"]*","status":(\d{3})/g)].map(([, status]) => Number(status))
  return {
    gateway,
    answered: async () => {
      // The log is written a while later, in order: what came before this stands before it.
      const mark = `/mark/${marks++}`
      await fetch(gateway.url + mark)
      while (!gateway.output().includes(`"path":"${mark}"`)) await Bun.sleep(5)
      const statuses = told()
      const fresh = statuses.slice(read)
      read = statuses.length
      return fresh
    },
    dispose: async () => {
      await gateway.dispose()
      upstream.kill()
      await upstream.exited
    }
  }
}

const firstLine = async (stream: ReadableStream<Uint8Array>): Promise<string> => {
  const reader = stream.getReader()
  const decoder = new TextDecoder()
  let text = ""
  while (!text.includes("\n")) {
    const { done, value } = await reader.read()
    if (done) throw new Error("the fake upstream has ended")
    text += decoder.decode(value, { stream: true })
  }
  reader.releaseLock()
  return text.slice(0, text.indexOf("\n")).trim()
}
