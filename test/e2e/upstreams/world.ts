import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import Anthropic from "@anthropic-ai/sdk"
import OpenAI from "openai"
import { fakeUpstream } from "../../upstreams/fakes/fakeUpstream.ts"
import type { FakeName, FakeOptions } from "../../upstreams/fakes/fakeUpstream.ts"
import type { GatewayHere } from "../../gatewayHere.ts"
import { startGateway } from "../../gatewayHere.ts"

/** The protocols that families speak. */
export const protocols = ["anthropic-messages", "openai-responses", "openai-chat"] as const
/** All protocols of text. */
export const textProtocols = [...protocols, "gemini"] as const

/** The caller's name of the model behind each upstream; the upstream's own is another. */
export const models: Record<FakeName, string> = {
  "anthropic-messages": "behind-messages",
  "openai-responses": "behind-responses",
  "openai-chat": "behind-chat",
  gemini: "behind-gemini"
}

const upstreamModels: Record<FakeName, string> = {
  "anthropic-messages": "claude-sonnet-4-5",
  "openai-responses": "gpt-5.1",
  "openai-chat": "qwen3-32b",
  gemini: "gemini-3.8-flash"
}

/** Never to be seen by a caller. */
export const upstreamKey = "sk-planted-upstream-key"

type Fake = ReturnType<typeof fakeUpstream>

export interface World {
  readonly gateway: GatewayHere
  readonly fakes: Record<FakeName, Fake>
  readonly anthropic: Anthropic
  readonly openai: OpenAI
  /** The body of the last answer that they got, as it went over the wire. */
  readonly heard: () => Promise<string>
  /** The last request an upstream got. */
  readonly asked: (protocol: FakeName) => Fake["asked"][number]
  readonly dispose: () => Promise<void>
}

/** A real gateway in front of one fake upstream of each protocol. */
export const startWorld = async (
  options: { readonly fake?: FakeOptions; readonly yaml?: (urls: Record<FakeName, string>) => string } = {}
): Promise<World> => {
  const fakes: Record<FakeName, Fake> = {
    "anthropic-messages": fakeUpstream("anthropic-messages", { strict: true, ...options.fake }),
    "openai-responses": fakeUpstream("openai-responses", { strict: true, ...options.fake }),
    "openai-chat": fakeUpstream("openai-chat", { strict: true, ...options.fake }),
    gemini: fakeUpstream("gemini", { strict: true, ...options.fake })
  }
  const folder = mkdtempSync(join(tmpdir(), "gateway-upstreams-"))
  const urls = {
    "anthropic-messages": fakes["anthropic-messages"].url,
    "openai-responses": fakes["openai-responses"].url,
    "openai-chat": fakes["openai-chat"].url,
    gemini: fakes.gemini.url
  }
  writeFileSync(join(folder, "gateway.yaml"), (options.yaml ?? usualYaml)(urls))
  const gateway = await startGateway({ folder, env: { UPSTREAM_KEY: upstreamKey } })
  return {
    gateway,
    fakes,
    ...clientsOf(gateway),
    asked: (protocol) => fakes[protocol].asked.at(-1)!,
    dispose: async () => {
      await gateway.dispose()
      await Promise.all(Object.values(fakes).map((fake) => fake.stop()))
    }
  }
}

/** The official clients, and what they hear. */
export const clientsOf = ({ key, url }: Pick<GatewayHere, "key" | "url">) => {
  let last: Promise<string> = Promise.resolve("")
  const heard = async (...asked: Parameters<typeof fetch>) => {
    const response = await fetch(...asked)
    last = response.clone().text()
    // A caller that stopped reading is not awaited.
    last.catch(() => {})
    return response
  }
  const common = { apiKey: key, maxRetries: 0, fetch: heard }
  return {
    anthropic: new Anthropic({ ...common, baseURL: url }),
    openai: new OpenAI({ ...common, baseURL: `${url}/v1` }),
    heard: () => last
  }
}

/** One model behind each upstream, as a configuration file. */
export const usualYaml = (urls: Record<FakeName, string>): string =>
  JSON.stringify({
    upstreams: Object.fromEntries(
      textProtocols.map((protocol) => [
        `up-${protocol}`,
        {
          protocol,
          base_url: `${urls[protocol]}/${protocol === "gemini" ? "v1beta" : "v1"}`,
          api_key: "${UPSTREAM_KEY}",
          ...(protocol === "openai-chat" ? { provider: "vllm" } : {})
        }
      ])
    ),
    models: Object.fromEntries(
      textProtocols.map((protocol) => [
        models[protocol],
        { routes: [{ upstream: `up-${protocol}`, model: upstreamModels[protocol] }] }
      ])
    )
  })
