import { describe, expect, it } from "@effect/vitest"
import type { ModelEntry } from "../../src/catalogue/Catalogue.ts"
import { servedModel } from "../../src/catalogue/servedModel.ts"

const model = (id: string, more: Partial<ModelEntry> = {}) =>
  servedModel({
    id,
    kind: "text",
    routes: [{ upstream: "u", model: id }],
    contextTokens: undefined,
    ownedBy: "u",
    ...more
  })
const served = (by: string, maxOutputTokens: number) =>
  model("claude-opus-5-5", { routes: [{ upstream: "u", model: by }], maxOutputTokens })
const sandbox = { routes: [{ upstream: "sandbox", model: "sandbox-text" }] }

describe("the most output of a route's model", () => {
  it.each([
    ["what is known of the id", model("claude-opus-5-5"), 128_000],
    ["that of a dated id", model("claude-haiku-4-5-20251001"), 64_000],
    ["that of an older family", model("claude-opus-4-1-20250805"), 32_000],
    ["that of a prefixed id", model("us.anthropic.claude-opus-4-20250514-v1:0"), 32_000],
    ["that of the oldest", model("claude-3-haiku-20240307"), 4_096],
    ["a GPT's", model("gpt-4o-mini"), 16_384],
    ["a newer GPT's", model("gpt-5.1-codex-max"), 128_000],
    ["an o's", model("o4-mini"), 100_000],
    ["that of the model behind another name", model("smart", { routes: [{ upstream: "u", model: "gpt-5" }] }), 128_000],
    ["what the entry says", model("claude-opus-5-5", { maxOutputTokens: 9_000 }), 9_000],
    ["more, where the entry says so of the same model", model("gpt-4o", { maxOutputTokens: 20_000 }), 20_000],
    ["less, where the entry says so of another", served("qwen3", 8_192), 8_192],
    ["no more than that of another model, whatever the entry says", served("gpt-4o", 128_000), 16_384],
    ["unknown", model("qwen3"), undefined],
    ["the specification's at the sandbox, whatever its name", model("claude-opus-5-5", sandbox), 32_000],
    ["what the entry says at the sandbox too", model("house", { ...sandbox, maxOutputTokens: 128_000 }), 128_000]
  ])("is %s", (_, entry, most) => {
    expect(entry.routes[0]?.outputLimit).toBe(most)
  })

  it("is a directive's at the sandbox, for requests without a bound", () => {
    expect(model("sandbox-text", sandbox).routes[0]?.mostWritten).toBeUndefined()
    expect(model("gpt-4o").routes[0]?.mostWritten).toBe(16_384)
  })
})
