import { Redacted } from "effect"
import { expect, it } from "vitest"
import { succeedingToken } from "../../src/access/ApiKey.ts"

it("the token in the place of another is the same each time, and only the gateway's secret tells it", () => {
  const secret = (byte: number) => Redacted.make(new Uint8Array(32).fill(byte))
  const next = (kind: "access" | "refresh", token: string, by = secret(1)) =>
    succeedingToken(kind, Redacted.make(token), by)
  const tokens = [
    next("access", "gwr_a"),
    next("refresh", "gwr_a"),
    next("refresh", "gwr_b"),
    next("refresh", "gwr_a", secret(2))
  ]
  expect(new Set(tokens).size).toBe(4)
  expect(next("refresh", "gwr_a")).toBe(tokens[1])
  for (const token of tokens) expect(token).toMatch(/^gw[tr]_[0-9A-Za-z]{38}$/)
})
