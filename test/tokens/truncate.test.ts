import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { InvalidRequest } from "../../src/contract/failures/Failure.ts"
import type { Conversation, Item } from "../../src/generation/Conversation.ts"
import { countTokens } from "../../src/tokens/tokens.ts"
import { fitContext } from "../../src/tokens/truncate.ts"
import { conversation, said } from "../generation/conversations.ts"

const call = (callId: string): Item => ({ type: "tool-call", callId, name: "f", arguments: "{}", kind: "function" })
const result = (callId: string, text: string): Item => ({
  type: "tool-result",
  callId,
  content: [{ type: "text", text }],
  isError: false
})
const reasoning: Item = { type: "reasoning", text: "Let me think it over", signature: "s", redacted: undefined }

/** A history of exchanges, some of them with (parallel) tool calls, ended by a question. */
const histories = fc
  .array(fc.record({ words: fc.nat(30), calls: fc.nat(3), reasons: fc.boolean() }), { maxLength: 12 })
  .map((exchanges): ReadonlyArray<Item> => [
    ...exchanges.flatMap(({ words, calls, reasons }, index): ReadonlyArray<Item> => {
      const ids = Array.from({ length: calls }, (_, n) => `call_${index}_${n}`)
      return [
        ...(index === 2 ? [said("system", "Stay polite")] : []),
        said("user", "question ".repeat(words + 1)),
        ...(reasons ? [reasoning] : []),
        ...ids.map(call),
        ...ids.map((id) => result(id, "found ".repeat(words))),
        said("assistant", "answer ".repeat(words + 1))
      ]
    }),
    said("user", "And now the last question?")
  ])

const fitted = (given: Conversation, contextTokens: number): Conversation => {
  const answer = fitContext(given, contextTokens)
  if (answer instanceof InvalidRequest) throw answer
  return answer ?? given
}

describe("fitContext with auto", () => {
  it("fits, keeps what must stay, leaves no orphan and drops only what is older than what it keeps", () => {
    fc.assert(
      fc.property(histories, fc.integer({ min: 40, max: 600 }), (items, contextTokens) => {
        const given = conversation({ items, truncation: "auto", system: ["You help."] })
        const answer = fitted(given, contextTokens)
        expect(countTokens(answer)).toBeLessThanOrEqual(contextTokens)
        expect(answer.system).toEqual(given.system)
        expect(answer.items.at(-1)).toBe(items.at(-1))
        const systems = (all: ReadonlyArray<Item>) =>
          all.filter((item) => item.type === "message" && item.role === "system")
        expect(systems(answer.items)).toEqual(systems(items))
        const ids = (type: "tool-call" | "tool-result") =>
          answer.items.flatMap((item) => (item.type === type ? [item.callId] : [])).sort()
        expect(ids("tool-call")).toEqual(ids("tool-result"))
        const others = (all: ReadonlyArray<Item>) => all.filter((item) => !systems(all).includes(item))
        const kept = others(answer.items)
        expect(kept).toEqual(others(items).slice(-kept.length))
        expect(kept[0]).toMatchObject({ type: "message", role: "user" })
      })
    )
  })

  it("leaves a conversation that fits untouched", () => {
    const given = conversation({ items: [said("user", "Hi"), said("assistant", "Hello"), said("user", "So?")] })
    expect(fitContext({ ...given, truncation: "auto" }, 128_000)).toBeUndefined()
  })

  it("keeps the question of a running tool loop and drops its oldest calls", () => {
    const items = [
      said("user", "Old question ".repeat(30)),
      said("assistant", "Old answer ".repeat(30)),
      said("user", "Look it up"),
      call("call_1"),
      result("call_1", "first ".repeat(100)),
      call("call_2"),
      result("call_2", "second")
    ]
    const answer = fitted(conversation({ items, truncation: "auto" }), 80)
    expect(answer.items).toEqual([items[2], items[5], items[6]])
  })

  it("refuses when the last message alone is too long", () => {
    const items = [said("user", "Hi"), said("assistant", "Hello"), said("user", "very long ".repeat(100))]
    expect(fitContext(conversation({ items, truncation: "auto" }), 50)).toMatchObject({ _tag: "InvalidRequest" })
  })
})

describe("fitContext with disabled", () => {
  it("refuses what exceeds the window with OpenAI's words", () => {
    expect(fitContext(conversation({ items: [said("user", "word ".repeat(100))] }), 50)).toMatchObject({
      _tag: "InvalidRequest",
      reason: "too_long",
      message: expect.stringMatching(
        /^Your input exceeds the context window of this model\. Please adjust your input and try again\. \(\d+ tokens > 50 maximum\)$/
      )
    })
  })

  it("lets through what fits exactly", () => {
    const given = conversation({ items: [said("user", "word ".repeat(100))] })
    expect(fitContext(given, countTokens(given))).toBeUndefined()
    expect(fitContext(given, countTokens(given) - 1)).toBeInstanceOf(InvalidRequest)
  })

  it("does not look at the size where the window is unknown", () => {
    const given = conversation({ items: [said("user", "word ".repeat(100))] })
    expect(fitContext(given, undefined)).toBeUndefined()
  })
})
