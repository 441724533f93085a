import { expect, it } from "@effect/vitest"
import { Redacted } from "effect"
import { markOf } from "../../src/mcp/OwnMark.ts"

const mark = (byte: number) => markOf(Redacted.make(new Uint8Array(32).fill(byte)))

it("marks requests the same on all nodes of one secret, and on no other gateway", () => {
  expect(mark(1)).toBe("1.1 model-gateway-01010101010101010101010101010101")
  expect(mark(1)).toBe(mark(1))
  expect(mark(2)).not.toBe(mark(1))
})
