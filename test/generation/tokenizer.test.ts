import fc from "fast-check"
import { countTokens as reference } from "gpt-tokenizer/encoding/o200k_base"
import { describe, expect, it } from "vitest"
import { countText, firstTokens, splitWords } from "../../src/generation/tokenizer.ts"

const exactly = (text: string) => reference(text, { disallowedSpecial: new Set() })

const texts = fc.oneof(
  fc.string({ unit: "binary", maxLength: 200 }),
  fc.string({ unit: "grapheme", maxLength: 200 }),
  fc.lorem({ maxCount: 40 }),
  fc.constantFrom("<|endoftext|>", "I'LL say it's   fine\n\n  ok", "漢字仮名交じり文", "👩‍👩‍👧 \t 123456789", "\ud800")
)

describe("countText", () => {
  it("counts as the reference tokenizer does", () => {
    fc.assert(
      fc.property(texts, (text) => {
        expect(countText(text)).toBe(exactly(text))
      }),
      { numRuns: 500 }
    )
  })

  it("estimates a long text within five percent, in bounded time", () => {
    const paragraph = "Tokens of a long text are estimated from evenly spread samples; 4096 characters each. "
    const text = paragraph.repeat(12_000)
    const began = performance.now()
    const tokens = countText(text)
    expect(performance.now() - began).toBeLessThan(200)
    expect(Math.abs(tokens / exactly(text) - 1)).toBeLessThan(0.05)
  })

  it("counts one endless word in bounded time", () => {
    let word = ""
    for (let i = 0; i < 65_536; i++) word += String.fromCharCode(97 + ((i * i * 7 + i * 3) % 26))
    const began = performance.now()
    expect(countText(word)).toBeGreaterThan(10_000)
    expect(performance.now() - began).toBeLessThan(500)
  })
})

describe("splitWords", () => {
  it("splits into words that join to the text and add up to its tokens", () => {
    fc.assert(
      fc.property(texts, (text) => {
        const words = splitWords(text)
        expect(words.map((word) => word.text).join("")).toBe(text)
        expect(words.reduce((sum, word) => sum + word.tokens, 0)).toBe(exactly(text))
      })
    )
  })
})

describe("firstTokens", () => {
  it("answers a beginning of the text with at most so many tokens", () => {
    fc.assert(
      fc.property(fc.lorem({ maxCount: 40 }), fc.nat(60), (text, most) => {
        const part = firstTokens(text, most)
        expect(text.startsWith(part)).toBe(true)
        expect(exactly(part)).toBeLessThanOrEqual(most)
        if (exactly(text) <= most) expect(part).toBe(text)
      })
    )
  })

  it("cuts inside a word, between characters", () => {
    expect(firstTokens("supercalifragilistic", 2)).toBe("supercal")
    expect(firstTokens("👩‍👩‍👧", 1)).not.toContain("\ufffd")
  })
})
