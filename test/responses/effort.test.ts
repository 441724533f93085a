import { describe, expect, it } from "@effect/vitest"
import { encodingOf } from "./encoding.ts"
import { conversation, refusal } from "./request.ts"

const all = ["none", "minimal", "low", "medium", "high", "xhigh"] as const
const table = [
  ["gpt-5-pro", ["high"], "high"],
  ["gpt-5-pro-2025-10-06", ["high"], "high"],
  ["gpt-5.1", ["none", "low", "medium", "high"], "none"],
  ["gpt-5.1-2025-11-13", ["none", "low", "medium", "high"], "none"],
  ["gpt-5.1-codex", ["low", "medium", "high"], "medium"],
  ["gpt-5.1-codex-mini", ["low", "medium", "high"], "medium"],
  ["gpt-5.1-codex-max", ["low", "medium", "high", "xhigh"], "medium"],
  ["gpt-5.2-codex", ["low", "medium", "high", "xhigh"], "medium"],
  ["gpt-5.3-codex", ["low", "medium", "high", "xhigh"], "medium"],
  ["gpt-5.1-chat-latest", ["medium"], "medium"],
  ["gpt-5.2", ["none", "low", "medium", "high", "xhigh"], "none"],
  ["gpt-5.2-2025-12-11", ["none", "low", "medium", "high", "xhigh"], "none"],
  ["gpt-5.10", ["none", "low", "medium", "high", "xhigh"], "none"],
  ["gpt-6", ["none", "low", "medium", "high", "xhigh"], "none"],
  ["gpt-5", ["minimal", "low", "medium", "high"], "medium"],
  ["gpt-5-mini", ["minimal", "low", "medium", "high"], "medium"],
  ["gpt-5-nano-2025-08-07", ["minimal", "low", "medium", "high"], "medium"],
  ["gpt-5-codex", ["minimal", "low", "medium", "high"], "medium"],
  ["o1", ["low", "medium", "high"], "medium"],
  ["o3", ["low", "medium", "high"], "medium"],
  ["o3-mini", ["low", "medium", "high"], "medium"],
  ["o4-mini-2025-04-16", ["low", "medium", "high"], "medium"]
] as const

describe("reasoning effort", () => {
  it.each(table)("%s takes %j and defaults to %s", (model, values: ReadonlyArray<string>, fallback) => {
    for (const effort of all) {
      const request = { model, reasoning: { effort } }
      if (values.includes(effort)) expect(conversation(request).reasoning.effort).toBe(effort)
      else expect(refusal(request).param).toBe("reasoning.effort")
    }
    const { reasoning } = conversation({ model })
    expect(reasoning).toMatchObject({ effort: fallback, enabled: fallback !== "none" })
    expect(encodingOf({ model, input: "hi" }).response.reasoning).toEqual({ effort: fallback, summary: null })
  })

  it("is worded as OpenAI words it", () => {
    const message = (model: string, effort: string) => refusal({ model, reasoning: { effort } }).message
    expect(message("gpt-5.1", "xhigh")).toBe(
      "Unsupported value: 'xhigh' is not supported with the 'gpt-5.1' model. " +
        "Supported values are: 'none', 'low', 'medium', and 'high'."
    )
    expect(message("gpt-5-pro", "none")).toBe(
      "Unsupported value: 'none' is not supported with the 'gpt-5-pro' model. Supported values are: 'high'."
    )
  })

  it("of any other model is not checked and has no default", () => {
    expect(conversation({ model: "gpt-5.1-mine", reasoning: { effort: "xhigh" } }).reasoning.effort).toBe("xhigh")
    expect(conversation({ model: "claude" }).reasoning).toMatchObject({ effort: undefined, enabled: undefined })
  })
})
