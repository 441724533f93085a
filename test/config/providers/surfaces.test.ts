import { describe, expect, it } from "@effect/vitest"
import { Effect, Either, Redacted } from "effect"
import { readDocument } from "../../../src/config/document.ts"
import { readGatewayText } from "../../../src/config/source.ts"
import { GatewayFile } from "../../../src/config/GatewayFile.ts"
import { protocolFor, surfaceOf } from "../../../src/config/providers/surfaces.ts"
import type { UpstreamEntry } from "../../../src/config/providers/surfaces.ts"
import type { ProtocolName } from "../../../src/config/sections/Upstream.ts"

const at = (entry: UpstreamEntry, protocol?: ProtocolName) =>
  Either.match(surfaceOf(entry, protocol), {
    onLeft: ({ rule, setting }) => `${setting}: ${rule}`,
    onRight: ({ base_url, protocol }) => `${protocol} ${base_url}`
  })

describe("an upstream's address and protocol", () => {
  it.each<[UpstreamEntry, ProtocolName | undefined, string]>([
    [{ provider: "groq" }, undefined, "openai-chat https://api.groq.com/openai/v1"],
    [{ provider: "anthropic" }, undefined, "anthropic-messages https://api.anthropic.com"],
    [{ provider: "dashscope" }, undefined, "openai-chat https://dashscope-intl.aliyuncs.com/compatible-mode/v1"],
    [
      { provider: "vertex", region: "us-east5", project: "house" },
      "anthropic-messages",
      "anthropic-messages https://us-east5-aiplatform.googleapis.com/v1/projects/house/locations/us-east5/publishers/anthropic"
    ],
    [
      { provider: "vertex", region: "global", project: "house" },
      "openai-chat",
      "openai-chat https://aiplatform.googleapis.com/v1/projects/house/locations/global/endpoints/openapi"
    ],
    [{ provider: "azure", resource: "house" }, undefined, "openai-chat https://house.openai.azure.com/openai/v1"],
    [
      { provider: "azure-deployments", resource: "house" },
      undefined,
      "openai-chat https://house.openai.azure.com/openai?api-version=2024-10-21"
    ],
    [
      { provider: "azure-deployments", base_url: "http://127.0.0.1:9?api-version=2025-04-01-preview" },
      undefined,
      "openai-chat http://127.0.0.1:9/openai?api-version=2025-04-01-preview"
    ],
    [
      { provider: "mantle", region: "eu-west-1" },
      "anthropic-messages",
      "anthropic-messages https://bedrock-mantle.eu-west-1.api.aws/anthropic"
    ],
    [
      { provider: "anthropic-aws", region: "eu-west-1" },
      undefined,
      "anthropic-messages https://aws-external-anthropic.eu-west-1.api.aws"
    ],
    [{ provider: "kling" }, undefined, "kling-video https://api-singapore.klingai.com/v1"],
    [{ provider: "azure" }, undefined, "resource: is required: the address of azure contains it"],
    [{ provider: "generic" }, undefined, "base_url: is required"],
    // In place of the provider's origin, with the rest of the address or without.
    [{ provider: "groq", base_url: "http://127.0.0.1:9" }, undefined, "openai-chat http://127.0.0.1:9/openai/v1"],
    [{ provider: "vllm", base_url: "http://gpu:8000/v1/" }, undefined, "openai-chat http://gpu:8000/v1"],
    [
      { provider: "azure", base_url: "https://house.openai.azure.com?api-version=preview" },
      undefined,
      "openai-chat https://house.openai.azure.com/openai/v1?api-version=preview"
    ],
    // Beside `protocol` it is whole.
    [
      { protocol: "openai-chat", provider: "groq", base_url: "http://127.0.0.1:9/v2" },
      undefined,
      "openai-chat http://127.0.0.1:9/v2"
    ],
    [{ protocol: "openai-responses", provider: "groq" }, undefined, "openai-responses https://api.groq.com"]
  ])("%j, %s: %s", (entry, protocol, expected) => {
    expect(at(entry, protocol)).toBe(expected)
  })

  it.each<[UpstreamEntry, string, ProtocolName]>([
    [{ provider: "vertex" }, "claude-opus-5-5", "anthropic-messages"],
    [{ provider: "vertex" }, "meta/llama-4", "openai-chat"],
    [{ provider: "volcengine" }, "doubao-seedance-2-5-260628", "ark-video"],
    [{ provider: "volcengine" }, "doubao-seed-2-1-pro", "openai-chat"],
    [{ provider: "vertex" }, "gemini-3.8-flash", "gemini"],
    [{ provider: "gemini" }, "veo-3.1", "veo"],
    [{ provider: "gemini" }, "gemini-4-argon", "gemini"],
    [{ provider: "bedrock" }, "us.anthropic.claude-opus-5-5", "anthropic-messages"],
    [{ provider: "bedrock" }, "openai.gpt-oss-120b-1:0", "openai-chat"],
    [{ provider: "bedrock" }, "amazon.nova-pro-v1:0", "bedrock-converse"],
    [{ provider: "minimax" }, "MiniMax-H3", "minimax-video"],
    [{ provider: "azure" }, "gpt-5", "openai-responses"],
    [{ provider: "azure", protocol: "openai-chat" }, "gpt-5", "openai-chat"]
  ])("%j speaks about %s: %s", (entry, model, protocol) => {
    expect(protocolFor(entry, model)).toBe(protocol)
    expect(protocolFor(entry, model, "openai-videos")).toBe("openai-videos")
  })

  it.each([
    ["{ AWS_REGION: eu-west-1 }", { AWS_REGION: "eu-west-1", AWS_DEFAULT_REGION: "x" }, "eu-west-1"],
    ["{ AWS_DEFAULT_REGION: eu-west-2 }", { AWS_REGION: "", AWS_DEFAULT_REGION: "eu-west-2" }, "eu-west-2"]
  ])("has AWS's region from the environment, unless it is written: %s", (_, env, expected) => {
    const text =
      "upstreams: { a: { provider: bedrock }, b: { provider: mantle, region: us-east-1 }, c: { provider: groq } }"
    const { value } = Effect.runSync(readGatewayText("gateway.yaml", text, { env }))
    const regions = Object.values(value.upstreams ?? {}).map(({ region }) => region)
    expect(regions).toEqual([expected, "us-east-1", undefined])
  })

  it("has the row's credentials unless it has its own", () => {
    const authOf = (entry: UpstreamEntry) => Either.getOrThrow(surfaceOf({ resource: "house", ...entry })).auth
    expect(authOf({ provider: "azure" })).toBe("azure")
    expect(authOf({ provider: "azure", api_key: Redacted.make("k") })).toBeUndefined()
    expect(authOf({ provider: "azure", headers: { "api-key": Redacted.make("k") } })).toBeUndefined()
    expect(
      authOf({ provider: "anthropic-aws", region: "r", headers: { "anthropic-workspace-id": Redacted.make("w") } })
    ).toBe("aws")
    expect(authOf({ provider: "azure", auth: "key" })).toBe("key")
    expect(authOf({ provider: "vllm" })).toBeUndefined()
  })

  it.each([
    ["{ provider: groq }", ""],
    ["{ protocol: openai-chat }", "upstreams.a.base_url: is required, unless provider is given"],
    ['{ base_url: "http://a" }', "upstreams.a.protocol: is required, unless provider is given"],
    ["{ provider: vertex, region: us east }", "upstreams.a.region: expected letters, digits, dots and dashes"]
  ])("is refused without one: %s: %s", (entry, message) => {
    const read = Effect.runSync(
      Effect.either(readDocument("gateway.yaml", `upstreams: { a: ${entry} }`, { env: {} }, GatewayFile))
    )
    const said = Either.match(read, { onLeft: ({ message }) => message, onRight: () => "" })
    expect(said).toBe(message === "" ? "" : `gateway.yaml:1: ${message}`)
  })
})
