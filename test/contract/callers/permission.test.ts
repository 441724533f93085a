import { describe, expect, it } from "@effect/vitest"
import { Caller } from "../../../src/contract/callers/Caller.ts"
import { forbidden } from "../../../src/contract/callers/permission.ts"

describe("a key may use the models its patterns match", () => {
  it.each([
    [["*"], "x", true],
    [["claude-*"], "claude-4", true],
    [["claude-*"], "my-claude-4", false],
    [["gpt-5", "*-mini"], "gpt-5-mini", true],
    [["gpt-5"], "gpt-5-mini", false],
    [["a*b*c"], "a-b-b-c", true],
    [["a*b*bc"], "abc", false],
    [[], "x", false]
  ])("%j and %s: %s", (models, model, expected) => {
    const caller = { ...Caller.unrestricted("team", "k"), models }
    expect(forbidden(caller, { id: model }) === undefined).toBe(expected)
  })

  it.each([
    [["house-*"], true],
    [["fast"], true],
    [["other"], false]
  ])("%j allow the alias fast of house-default: %s", (models, expected) => {
    const caller = { ...Caller.unrestricted("team", "k"), models }
    expect(forbidden(caller, { id: "fast", aliasOf: "house-default" }) === undefined).toBe(expected)
  })
})
