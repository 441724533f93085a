import { expect, it } from "vitest"
import { AccountId } from "../../../src/contract/callers/Caller.ts"
import { claimsOf, heldOf, other } from "../../../src/ledger/budgets/claims.ts"
import { Counters } from "../../../src/ledger/budgets/Counters.ts"
import { mostOwn } from "../../../src/ledger/budgets/own.ts"
import { budget, callerOf } from "./world.ts"

it("a flood of 20,000 end users and tags of an account has 10,000 counters and a shared one, until its window ends", () => {
  const counters = new Counters()
  const caller = callerOf(
    [budget("requests", 5, undefined, { each: "end_user" }), budget("requests", 5, undefined, { tag: "t=*" })],
    { trustsEndUser: true, account: AccountId.make("flooded") }
  )
  const nowMs = Date.UTC(2026, 0, 31, 12)
  const through = (n: number, atMs: number): boolean => {
    const request = { model: "m", tags: [`t=${n}`], endUser: `user ${n}`, mostTokens: () => 0 }
    const claims = counters.placed(claimsOf(caller, request, 0, atMs), atMs)
    if (counters.short(claims) !== undefined) return false
    counters.hold(claims.map(heldOf))
    return true
  }
  let passed = 0
  for (let n = 0; n < 20_000; n++) if (through(n, nowMs)) passed++
  // Each of the first has two counters; the others share one of each budget.
  expect(passed).toBe(mostOwn / 2 + 5)
  expect(counters.size).toBe(mostOwn + 2)
  // One that has a counter keeps it, and another account is not concerned.
  expect(through(7, nowMs)).toBe(true)
  expect(
    counters.placed(claimsOf(caller, { model: "m", endUser: "new", mostTokens: () => 0 }, 0, nowMs), nowMs)
  ).toMatchObject([{ subject: other }])
  const tomorrow = nowMs + 86_400_000
  expect(through(200_000, tomorrow)).toBe(true)
  expect(counters.size).toBe(2)
})
