import { expect, it } from "vitest"
import { matches } from "../../../src/contract/text/matches.ts"
import { processorMs } from "../../processorTime.ts"

it("matches the pattern's parts in order, without overlaps", () => {
  const rows = [
    ["gpt-5", "gpt-5", true],
    ["gpt-5", "gpt-5.1", false],
    ["*", "", true],
    ["gpt-*", "gpt-", true],
    ["*-mini", "gpt-5-mini", true],
    ["a*b*c", "a1b2c", true],
    ["a*b*c", "acb", false],
    ["ab*ba", "aba", false],
    ["a*bc*c", "abc", false],
    ["**", "anything", true],
    ["a.c", "abc", false]
  ] as const
  for (const [pattern, text, expected] of rows)
    expect([pattern, text, matches(pattern, text)]).toEqual([pattern, text, expected])
})

it("takes linear time on a pattern of many stars", () => {
  const taken = processorMs(() => {
    expect(matches(`${"a*".repeat(100)}b`, "a".repeat(100_000))).toBe(false)
  })
  expect(taken).toBeLessThan(1_000)
})
