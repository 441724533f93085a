import { Either, Schema } from "effect"
import { describe, expect, it } from "vitest"
import { budgetFrom, writtenFrom, WrittenBudgets } from "../../src/contract/budgets/WrittenBudget.ts"

const decode = Schema.decodeUnknownEither(WrittenBudgets)
const wrong = (...budgets: ReadonlyArray<unknown>): string => {
  const decoded = decode(budgets)
  return Either.isLeft(decoded) ? decoded.left.message : "accepted"
}

describe("budgets as they are written", () => {
  it.each([
    [{ usd: 50, per: "month" }],
    [{ usd: "12.50", per: "week", zone: "Europe/Berlin" }],
    [{ tokens: 1_000_000, rolling: "24h", models: ["claude-*"] }],
    [{ requests: 10, per: "total", tag: "customer=*", each: "end_user" }],
    [{ usd: 0.000000001, rolling: "90m" }]
  ])("%j are read, and written again as the same", (one) => {
    const [read] = Either.getOrThrow(decode([one]))
    expect(read === undefined ? undefined : budgetFrom(writtenFrom(budgetFrom(read)))).toEqual(read && budgetFrom(read))
  })

  it.each([
    [{ per: "day" }, "expected one of usd, tokens and requests"],
    [{ usd: 1, tokens: 1, per: "day" }, "expected one of usd, tokens and requests"],
    [{ usd: 1 }, "expected either per or rolling"],
    [{ usd: 1, per: "day", rolling: "1h" }, "expected either per or rolling"],
    [{ usd: 1, rolling: "1h", zone: "UTC" }, "expected zone only with"],
    [{ usd: 1, per: "day", zone: "+02:00" }, "expected the name of a time zone"],
    [{ usd: 1, per: "day", zone: "Europe/Nowhere" }, "expected the name of a time zone"],
    [{ usd: -1, per: "day" }, "expected dollars"],
    [{ usd: NaN, per: "day" }, "expected dollars"],
    [{ usd: Infinity, per: "day" }, "expected dollars"],
    [{ usd: 9_000_001, per: "day" }, "expected dollars"],
    [{ usd: "1e3", per: "day" }, "expected dollars"],
    [{ tokens: 0, per: "day" }, ""],
    [{ requests: 1.5, per: "day" }, ""],
    [{ tokens: 1e300, per: "day" }, ""],
    [{ usd: 1, rolling: "0h" }, "expected a number of days"],
    [{ usd: 1, rolling: "367d" }, "expected a number of days"],
    [{ usd: 1, per: "day", tag: "x".repeat(10_000_000) }, ""],
    [{ usd: 1, per: "day", models: ["!claude-*"] }, "can't exclude"]
  ])("are refused: case %#", (one, rule) => {
    const message = wrong(one)
    expect(message).not.toBe("accepted")
    expect(message).toContain(rule)
  })

  it("may be twenty, of which no two count the same", () => {
    expect(wrong({ usd: 1, per: "day" }, { usd: 2, per: "day", zone: "UTC" })).toContain("no two count the same")
    const some = Array.from({ length: 21 }, (_, n) => ({ usd: 1, per: "day", tag: `t${n}` }))
    expect(wrong(...some.slice(1))).toBe("accepted")
    expect(wrong(...some)).not.toBe("accepted")
  })
})
