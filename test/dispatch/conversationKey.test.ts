import { describe, expect, it } from "@effect/vitest"
import { conversationKey } from "../../src/dispatch/conversationKey.ts"
import type { Message } from "../../src/generation/Conversation.ts"
import { conversation } from "../generation/conversations.ts"

const said = (role: "user" | "assistant", text: string): Message => ({
  type: "message",
  role,
  content: [{ type: "text", text }]
})

describe("a conversation's key", () => {
  it("is the same in each turn, and another for another beginning", () => {
    const one = conversation({ system: ["Be brief."], items: [said("user", "Hello")] })
    const next = { ...one, items: [...one.items, said("assistant", "Hi"), said("user", "And?")] }
    expect(conversationKey(next, undefined)).toBe(conversationKey(one, undefined))
    expect(conversationKey({ ...one, items: [said("user", "Bye")] }, undefined)).not.toBe(
      conversationKey(one, undefined)
    )
    expect(conversationKey({ ...one, system: ["Be long."] }, undefined)).not.toBe(conversationKey(one, undefined))
  })

  it.each([
    ["the caller's cache key", { cacheKey: "k1", endUser: "user_1" }, {}, "key:k1"],
    ["Codex' session", {}, { session_id: "0199" }, "session:0199"],
    [
      "Claude Code's session",
      { endUser: "user_aaaa_account__session_7d3c9c1e-5d2f-4c53-9d3e-000000000000" },
      {},
      "session:7d3c9c1e-5d2f-4c53-9d3e-000000000000"
    ],
    ["how it begins, where the user alone is named", { endUser: "user_1" }, {}, "text:"]
  ])("is %s", (_, fields, headers, expected) => {
    expect(conversationKey(conversation(fields), new Headers(headers))).toBe(expected)
  })

  it("tells conversations apart behind several long system texts that they share", () => {
    const system = ["a", "b", "c"].map((text) => text.repeat(20_000))
    const keys = ["Hello", "Bye"].map((text) =>
      conversationKey(conversation({ system, items: [said("user", text)] }), undefined)
    )
    expect(keys[0]).not.toBe(keys[1])
  })

  it("reads no more of a long text than it needs", () => {
    const long = "x".repeat(10_000_000)
    expect(
      conversationKey(conversation({ system: [long], items: [said("user", long)] }), undefined).length
    ).toBeLessThan(20_000)
  })
})
