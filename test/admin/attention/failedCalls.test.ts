import { expect, it } from "vitest"
import { failedCallsText } from "../../../src/admin/attention/failedCalls.ts"

const text = (calls: number, failed: number, kinds: Readonly<Record<string, number>>) =>
  failedCallsText({ calls, failed, kinds: new Map(Object.entries(kinds)) }, "in the last minute")

it("says how many calls failed, and the commonest error", () => {
  expect(text(20, 12, { 503: 9, none: 3 })).toBe("12 of 20 calls in the last minute failed, most with 503")
  expect(text(20, 12, { 503: 2, none: 10 })).toBe("12 of 20 calls in the last minute failed, most without an answer")
  expect(text(9, 9, { 429: 9 })).toBe("9 of 9 calls in the last minute failed, all with 429")
  expect(text(1, 1, { cut: 1 })).toBe("1 of 1 call in the last minute failed, after the answer had begun")
  expect(text(30, 6, {})).toBe("6 of 30 calls in the last minute failed")
})
