import { countTokens as reference } from "gpt-tokenizer/encoding/o200k_base"
import { describe, expect, it } from "vitest"
import { countTokens, mostTokens } from "../../src/tokens/tokens.ts"
import type { Part } from "../../src/generation/Conversation.ts"
import { countText } from "../../src/tokens/tokenizer.ts"
import { conversation, said } from "../generation/conversations.ts"
import { manyTexts } from "./texts.ts"

const withPart = (part: Part) => conversation({ items: [{ type: "message", role: "user", content: [part] }] })
const empty = countTokens(conversation({ items: [{ type: "message", role: "user", content: [] }] }))

/** A conversation of these texts, each a message. */
const saying = (texts: ReadonlyArray<string>) => conversation({ items: texts.map((text) => said("user", text)) })

describe("countTokens", () => {
  it("grows by the text, the system text and the tools", () => {
    const bare = countTokens(conversation({ items: [said("user", "Hello there")] }))
    expect(bare).toBe(empty + countText("Hello there"))
    const told = countTokens(conversation({ items: [said("user", "Hello there")], system: ["Be brief."] }))
    expect(told).toBe(bare + 3 + countText("Be brief."))
    const parameters = { type: "object", properties: { city: { type: "string" } } }
    const tooled = countTokens(
      conversation({
        items: [said("user", "Hello there")],
        tools: [{ type: "function", name: "weather", description: "Tells it", parameters, strict: undefined }]
      })
    )
    expect(tooled).toBeGreaterThan(bare + countText(JSON.stringify(parameters)))
  })

  it("estimates images and documents as documented", () => {
    const url = { type: "url", url: "https://example.com/a" } as const
    expect(countTokens(withPart({ type: "image", source: url, detail: "low" })) - empty).toBe(85)
    expect(countTokens(withPart({ type: "image", source: url, detail: "auto" })) - empty).toBe(765)
    expect(countTokens(withPart({ type: "document", source: url, name: undefined })) - empty).toBe(2_000)
    const text = "a,b\n1,2\n"
    const csv = { type: "base64", mediaType: "text/csv", data: btoa(text) } as const
    expect(countTokens(withPart({ type: "document", source: csv, name: undefined })) - empty).toBe(countText(text))
  })

  it("never exceeds the bound from lengths", () => {
    for (const text of ["", "Hello", "漢字仮名", "\u{1F469}\u200d\u{1F467}".repeat(9)]) {
      const asked = conversation({ items: [said("user", text)], system: [text] })
      expect(countTokens(asked)).toBeLessThanOrEqual(mostTokens(asked))
    }
  })

  it("counts a history that grows by a turn at a time exactly, however long it has become", () => {
    const turns = Array.from(
      { length: 60 },
      (_, n) => `Turn ${n}: ${"words of a long answer, numbers ".repeat(90)}${n}`
    )
    let exact = 3
    for (const [n, turn] of turns.entries()) {
      exact += reference(turn) + 3
      expect(countTokens(saying(turns.slice(0, n + 1)))).toBe(exact)
    }
  })

  it("counts a long history that is sent again more exactly each time, until it has seen it all", () => {
    const texts = Array.from({ length: 60 }, (_, n) => `${n}. ${`漢字 ${n} and words `.repeat(n % 2 === 0 ? 330 : 20)}`)
    const counts = Array.from({ length: 5 }, () => countTokens(saying(texts)))
    const exact = texts.reduce((sum, text) => sum + reference(text) + 3, 3)
    for (const count of counts) expect(Math.abs(count / exact - 1)).toBeLessThan(0.05)
    expect(counts[0]).not.toBe(exact)
    expect(counts.at(-1)).toBe(exact)
  })

  it("tells texts of one length apart", () => {
    const [sparse, dense] = [" ".repeat(4_000), "漢".repeat(4_000)]
    for (const text of [sparse, dense, sparse]) expect(countTokens(saying([text]))).toBe(reference(text) + 6)
  })

  it("estimates a text that is too long to be counted the same way again, beside others", () => {
    const page = "A page of a very long document, as read from a file. "
    const said = saying([page.repeat(4_000), "A remark about it that is made beside the document."])
    const count = () => countTokens({ ...said })
    const counts = [count(), count(), count()]
    for (const one of counts) expect(Math.abs(one / (100 * reference(page.repeat(40))) - 1)).toBeLessThan(0.05)
    expect(new Set(counts).size).toBe(1)
  })

  it("counts many long texts within five percent", () => {
    const texts = manyTexts()
    const tokens = countTokens(saying(texts))
    const exact = texts.reduce((sum, text) => sum + countText(text), 0)
    expect(Math.abs(tokens / exact - 1)).toBeLessThan(0.05)
  })
})
