import { describe, expect, it } from "@effect/vitest"
import { maskSecrets, namesSecret } from "../../src/config/maskSecrets.ts"
import { processorMs } from "../processorTime.ts"

describe("a text of a configuration", () => {
  it.each([
    ["sk-ant-api03-abcdefghijklmnop", "[secret]"],
    ["prefix gw_0123456789abcdef0123 suffix", "prefix [secret] suffix"],
    ["https://ann:pass@house.test/v1?api_key=plain&x=1", "https://[secret]@house.test/v1?api_key=[secret]&x=[secret]"],
    ["AKIAIOSFODNN7EXAMPLE", "[secret]"],
    ["wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "[secret]"],
    ["0123456789abcdef0123456789abcdef", "[secret]"],
    ["Zm9vYmFyMTIzNDU2Nzg5MA==", "[secret]"],
    ["-----BEGIN PRIVATE KEY-----\nMII", "[secret]"]
  ])("%s is shown as %s", (text, shown) => {
    expect(maskSecrets(text, "[secret]")).toBe(shown)
  })

  it.each([
    "${ANTHROPIC_API_KEY}",
    "anthropic.claude-sonnet-4-5-20250929-v1:0",
    "accounts/fireworks/models/llama-v3p1-405b-instruct",
    "Meta-Llama-3.1-405B-Instruct-Turbo",
    "https://house.test/openai/v1",
    "2026-01-31T12:00:00Z"
  ])("%s is shown as it is", (text) => {
    expect(maskSecrets(text, "[secret]")).toBe(text)
  })

  it("is read in linear time", () => {
    for (const part of ["?", "&a", "sk-", "://", "aA1/", "eyJ."]) {
      expect(processorMs(() => maskSecrets(part.repeat(100_000), "[secret]"))).toBeLessThan(2_000)
    }
  })
})

it("fields are secret by their names", () => {
  expect(
    ["api_key", "upstreams.house.client_secret", "password", "headers.Authorization"].map(namesSecret)
  ).not.toContain(false)
  expect(["keys.app.name", "models.fast", "upstreams.house.keys"].map(namesSecret)).not.toContain(true)
})
