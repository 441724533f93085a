import { describe, expect, it } from "@effect/vitest"
import {
  providerAt,
  providerNamed,
  providerNames,
  providerRow,
  rowNames
} from "../../../src/config/providers/providers.ts"
import { runsOn } from "../../../src/config/providers/surfaces.ts"
import { providerName } from "../../../src/upstreams/configured/providerName.ts"

describe("the table of providers", () => {
  it.each([
    ["https://api.openai.com/v1", "openai"],
    ["https://house.openai.azure.com/openai/v1", "azure"],
    ["https://us-east5-aiplatform.googleapis.com/v1/projects/p", "vertex"],
    ["https://aiplatform.eu.rep.googleapis.com/v1/projects/p", "vertex"],
    ["https://generativelanguage.googleapis.com/v1beta/openai", "gemini"],
    ["https://bedrock-mantle.us-east-1.api.aws/v1", "bedrock"],
    ["https://dashscope-intl.aliyuncs.com/compatible-mode/v1", "qwen"],
    ["https://notopenai.com/v1", undefined],
    ["http://127.0.0.1:8000/v1", undefined]
  ])("finds the row of %s: %s", (address, name) => {
    expect(providerAt(address)).toBe(name)
  })

  it("says which providers go on with a stream that is left, by name or host", () => {
    const at = (base_url: string, provider?: string) =>
      runsOn({ protocol: "openai-chat", base_url, ...(provider !== undefined && { provider }) })
    const [unknown, groq, openai] = [
      "http://127.0.0.1:8000/v1",
      "https://api.groq.com/openai/v1",
      "https://api.openai.com/v1"
    ]
    expect([at(unknown), at(groq), at(openai)]).toEqual([false, true, false])
    expect([at(unknown, "groq"), at(groq, "openai")]).toEqual([true, true])
    expect(rowNames.filter((name) => providerRow(name).hangUp === "runs_on")).toEqual([
      "gemini",
      "groq",
      "mistral",
      "perplexity",
      "qwen",
      "minimax",
      "huggingface",
      "bedrock",
      "mantle",
      "vertex"
    ])
  })

  it("names a provider by its host as OpenTelemetry does", () => {
    const at = (baseUrl: string) => providerName({ baseUrl, name: "mine" })
    expect(at("https://us-east5-aiplatform.googleapis.com/v1")).toBe("gcp.vertex_ai")
    expect(at("https://api.x.ai/v1")).toBe("x_ai")
    expect(at("https://api.together.xyz/v1")).toBe("mine")
  })

  it("has other names of some rows, and every row's surfaces differ", () => {
    expect(providerNamed("dashscope")).toBe("qwen")
    expect(providerNamed("constructor")).toBeUndefined()
    for (const name of providerNames) {
      const row = providerNamed(name)
      expect(row, name).toBeDefined()
      if (row === undefined) continue
      const protocols = providerRow(row).surfaces.map(({ protocol }) => protocol)
      expect(new Set(protocols).size, name).toBe(protocols.length)
    }
  })
})
