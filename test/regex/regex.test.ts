import { describe, expect, it } from "@effect/vitest"
import { FastCheck } from "effect"
import { UnsupportedRegex } from "../../src/regex/parseRegex.ts"
import { Regex } from "../../src/regex/Regex.ts"

const counted = (most = Infinity) => {
  let taken = 0
  return { step: (count: number) => (taken += count) <= most, taken: () => taken }
}

const replaced = (pattern: string, text: string) => Regex.of(pattern).replaceAll(text, "#", counted())
/** What a `RegExp` makes of it. */
const expected = (pattern: string, text: string) =>
  text.replaceAll(new RegExp(pattern, "g"), (found) => (found === "" ? "" : "#"))

describe("a regular expression", () => {
  it.each([
    ["[Pp]in \\d{4}", "My pin 1234 and Pin 99999"],
    ["\\bsk-\\w+\\b", "ask-a sk-abc, (sk-1)"],
    ["a.*?b", "a1b2b a\nb ab"],
    ["(a|ab)(c|bcd)?", "abcd abc ac"],
    ["^\\s+|\\s+$", "  in the middle  "],
    ["[\\t-\\r\\x41-\\u0043-]", "A-B\tC\rD"],
    ["[^]", "a\nb"],
    ["[]", "a"],
    ["x{2,3}", "x xx xxx xxxx xxxxx"],
    ["x{2,}?", "xxxxx"],
    ["{a}", "{a} a"],
    ["(?:ab)+|(?<name>c)", "ababc"],
    ["\\Bb", "ab b"],
    ["\\x2e\\0?", "a.\0"],
    ["x*", "a xx b"],
    ["é|\\u00e9", "café"]
  ])("%s finds what JavaScript's finds", (pattern, text) => {
    expect(replaced(pattern, text)).toBe(expected(pattern, text))
  })

  it("of any shape finds what JavaScript's finds", () => {
    const { pattern } = FastCheck.letrec<{ pattern: string }>((tie) => ({
      pattern: FastCheck.oneof(
        { depthSize: "small", withCrossShrink: true },
        FastCheck.constantFrom("a", "b", ".", "[ab]", "[^a]", "\\w", "\\b", "^", "$", "\\n"),
        FastCheck.tuple(tie("pattern"), FastCheck.constantFrom("*", "+", "?", "{2}", "{1,2}", "*?", "+?", "??")).map(
          ([part, sign]) => `(?:(?:${part})a)${sign}`
        ),
        FastCheck.tuple(tie("pattern"), tie("pattern")).map(([one, other]) => `(?:${one})${other}`),
        FastCheck.tuple(tie("pattern"), tie("pattern")).map(([one, other]) => `(?:${one}|${other})`)
      )
    }))
    const text = FastCheck.array(FastCheck.constantFrom("a", "b", " ", "\n"), { maxLength: 12 })
    FastCheck.assert(
      FastCheck.property(pattern, text, (made, units) => {
        expect(replaced(made, units.join(""))).toBe(expected(made, units.join("")))
      }),
      { numRuns: 2_000 }
    )
  })

  it.each([
    ["(a+)+$", "a".repeat(20_000) + "b"],
    ["(a|aa)+$", "a".repeat(20_000) + "b"],
    ["(.*)*x", "a".repeat(20_000)],
    ["\\w+@\\w+", "a".repeat(20_000)]
  ])("%s takes steps in proportion to the text", (pattern, text) => {
    const steps = counted()
    Regex.of(pattern).test(text, steps)
    expect(steps.taken()).toBeLessThan(20 * text.length)
  })

  it("whose steps are used up says so", () => {
    expect(Regex.of("a(.*b)?").replaceAll("a".repeat(1_000), "#", counted(10_000))).toBeUndefined()
    expect(Regex.of("ab").test("a".repeat(1_000), counted(100))).toBe(false)
  })

  it.each([
    "(?=a)",
    "(?<!a)b",
    "(a)\\1",
    "\\k<a>",
    "\\p{L}",
    "a**",
    "(a",
    "a)",
    "[a",
    "[b-a]",
    "[\\d-z]",
    "a\\",
    "{2}",
    "a{2,1}",
    "(a{100}){100}",
    "((){999999}){999999}",
    "a".repeat(1_001)
  ])("%s is not run", (pattern) => {
    expect(Regex.parse(pattern)).toBeInstanceOf(UnsupportedRegex)
  })
})
