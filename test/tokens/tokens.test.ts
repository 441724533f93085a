import { describe, expect, it } from "vitest"
import { countTokens, mostTokens } from "../../src/tokens/tokens.ts"
import type { Part } from "../../src/generation/Conversation.ts"
import { countText } from "../../src/tokens/tokenizer.ts"
import { conversation, said } from "../generation/conversations.ts"
import { manyTexts } from "./texts.ts"

const withPart = (part: Part) => conversation({ items: [{ type: "message", role: "user", content: [part] }] })
const empty = countTokens(conversation({ items: [{ type: "message", role: "user", content: [] }] }))

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

  it("counts many long texts within five percent", () => {
    const texts = manyTexts()
    const exact = texts.reduce((sum, text) => sum + countText(text), 0)
    const tokens = countTokens(conversation({ items: texts.map((text) => said("user", text)) }))
    expect(Math.abs(tokens / exact - 1)).toBeLessThan(0.05)
  })
})
