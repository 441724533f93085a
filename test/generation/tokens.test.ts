import { describe, expect, it } from "vitest"
import { countTokens, mostTokens } from "../../src/generation/tokens.ts"
import type { Part } from "../../src/generation/Conversation.ts"
import { countText } from "../../src/generation/tokenizer.ts"
import { conversation, said } from "./conversations.ts"

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

  it("counts many long texts in the time of one, within five percent", () => {
    const words = (seed: number) => {
      let text = ""
      for (let i = 0; text.length < 20_000; i++)
        text += ` ${((i * 7919 + seed * 104_729) % 65_536).toString(36)} and so on`
      return text
    }
    const texts = Array.from({ length: 400 }, (_, i) => words(i))
    const exact = texts.reduce((sum, text) => sum + countText(text), 0)
    const asked = conversation({ items: texts.map((text) => said("user", text)) })
    const began = performance.now()
    const tokens = countTokens(asked)
    expect(performance.now() - began).toBeLessThan(200)
    expect(Math.abs(tokens / exact - 1)).toBeLessThan(0.05)
  })
})
