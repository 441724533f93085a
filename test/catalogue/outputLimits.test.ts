import { describe, expect, it } from "@effect/vitest"
import type { Model } from "../../src/catalogue/Catalogue.ts"
import { cutTo, tooMuchOutput } from "../../src/catalogue/outputLimits.ts"
import { conversation } from "../messages/request.ts"

const model = (id: string, more: Partial<Model> = {}): Model => ({
  id,
  kind: "text",
  routes: [{ upstream: "u", model: id }],
  contextTokens: undefined,
  ownedBy: "u",
  ...more
})
const asks = (max_tokens: number) => conversation({ max_tokens })
const sandbox = { routes: [{ upstream: "sandbox", model: "sandbox-text" }] }

describe("the most output that may be asked for", () => {
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
    ["the specification's, where nothing is known", model("qwen3"), 32_000],
    ["the specification's on the sandbox, whatever its name", model("claude-opus-5-5", sandbox), 32_000],
    ["what the entry says on the sandbox", model("claude-opus-5-5", { ...sandbox, maxOutputTokens: 128_000 }), 128_000]
  ])("is %s", (_, entry, most) => {
    expect(tooMuchOutput(entry, asks(most))).toBeUndefined()
    expect(tooMuchOutput(entry, asks(most + 1))).toMatchObject({
      param: "max_tokens",
      message: `max_tokens: expected an integer between 1 and ${most}; got ${most + 1}`
    })
  })

  it("is nobody's business where a responses request asks a model of which nothing is known", () => {
    const asked = { ...asks(1_000_000), outputBound: { param: "max_output_tokens" } }
    expect(tooMuchOutput(model("qwen3"), asked)).toBeUndefined()
    expect(tooMuchOutput(model("gpt-5"), asked)?.param).toBe("max_output_tokens")
  })
})

describe("a translated request", () => {
  const route = (of: string) => ({ upstream: "u", model: of })

  it("is cut to what the route's model writes", () => {
    const routes = [route("claude-opus-5-5"), route("gpt-4o"), route("qwen3")]
    const several = model("claude-opus-5-5", { routes })
    expect(cutTo(several, route("gpt-4o"), asks(64_000))).toBe(16_384)
    expect(cutTo(several, route("gpt-4o"), asks(16_384))).toBeUndefined()
    expect(cutTo(several, route("qwen3"), asks(32_000))).toBeUndefined()
  })

  it("is cut to what the model's own entry says where the route names the same model", () => {
    expect(cutTo(model("gpt-4o", { maxOutputTokens: 20_000 }), route("gpt-4o"), asks(20_000))).toBeUndefined()
  })
})
