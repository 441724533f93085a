import fc from "fast-check"
import { countTokens as reference } from "gpt-tokenizer/encoding/o200k_base"
import { describe, expect, it } from "vitest"
import { countText, eachWord, firstTokens } from "../../src/tokens/tokenizer.ts"
import { endlessWord, longText } from "./texts.ts"

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

  it("estimates a long text within five percent", () => {
    expect(Math.abs(countText(longText) / exactly(longText) - 1)).toBeLessThan(0.05)
  })

  it("counts one endless word", () => {
    expect(countText(endlessWord())).toBeGreaterThan(10_000)
  })
})

describe("eachWord", () => {
  it("splits into words that join to the text and add up to its tokens", () => {
    fc.assert(
      fc.property(texts, (text) => {
        const words = [...eachWord(text)]
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
