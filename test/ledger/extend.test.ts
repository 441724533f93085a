import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { available } from "../../src/ledger/Balances.ts"
import type { Charge } from "../../src/ledger/Charge.ts"
import { Ledger } from "../../src/ledger/Ledger.ts"
import { addHeld } from "../../src/ledger/addHeld.ts"
import { AccountId } from "../../src/contract/callers/Caller.ts"
import { describeOnEach } from "../sql/engines.ts"
import { account, audit, dollars, live, open, team, tokens } from "./oneAccount.ts"
import {
  account as spender,
  budget,
  callerOf,
  dollar,
  live as budgets,
  open as openFor,
  settle
} from "./budgets/world.ts"

const extend = (charge: Charge, to: number) => charge.extend(() => dollars(to))

describeOnEach("a raised hold", () => {
  it.effect("is one with the first: charged up to both, the rest given back", () =>
    Effect.gen(function* () {
      yield* account(10)
      const charge = yield* open(3)
      expect(yield* extend(charge, 3)).toBe(true)
      expect(yield* extend(charge, 8)).toBe(true)
      expect(yield* extend(charge, 5)).toBe(true)
      const ledger = yield* Ledger
      expect(available(yield* ledger.balance(team))).toBe(dollars(2))
      expect((yield* Effect.flip(open(3)))._tag).toBe("InsufficientBalance")
      yield* Effect.promise(async () => charge.settle(tokens(7), "finished", false))
      expect(yield* audit).toEqual({ granted: dollars(10), settled: dollars(7), held: 0 })
    }).pipe(Effect.provide(live))
  )

  it.effect("is refused beyond the balance, keeps what there is, and bounds the charge", () =>
    Effect.gen(function* () {
      yield* account(10)
      const charge = yield* open(6)
      expect(yield* extend(charge, 11)).toBe(false)
      for (const wrong of [Number.NaN, Infinity]) expect(yield* extend(charge, wrong)).toBe(false)
      const ledger = yield* Ledger
      expect(available(yield* ledger.balance(team))).toBe(dollars(4))
      yield* Effect.promise(async () => charge.settle(tokens(9), "finished", false))
      expect(yield* audit).toEqual({ granted: dollars(10), settled: dollars(6), held: 0 })
    }).pipe(Effect.provide(live))
  )

  it.effect("is released whole, and is not raised once the request has ended", () =>
    Effect.gen(function* () {
      yield* account(10)
      const charge = yield* open(3)
      expect(yield* extend(charge, 8)).toBe(true)
      charge.release()
      expect(yield* extend(charge, 9)).toBe(false)
      const cut = yield* open(1)
      expect(yield* extend(cut, 10)).toBe(true)
      cut.cut(tokens(2), false)
      expect(yield* audit).toEqual({ granted: dollars(10), settled: 0, held: 0 })
    }).pipe(Effect.provide(live))
  )

  it.effect("of many requests at once never holds more than there is", () =>
    Effect.gen(function* () {
      yield* account(10)
      const charges = yield* Effect.all(Array.from({ length: 5 }, () => open(1)))
      const raised = yield* Effect.forEach(charges, (charge) => extend(charge, 3), { concurrency: "unbounded" })
      expect(raised.filter(Boolean)).toHaveLength(2)
      yield* Effect.forEach(charges, (charge) =>
        Effect.promise(async () => charge.settle(tokens(5), "finished", false))
      )
      expect(yield* audit).toEqual({ granted: dollars(10), settled: dollars(9), held: 0 })
    }).pipe(Effect.provide(live))
  )

  it.effect("needs nothing where no money is counted", () =>
    Effect.gen(function* () {
      yield* account()
      const charge = yield* open(1)
      expect(yield* charge.extend(() => expect.fail("evaluated"))).toBe(true)
      charge.release()
    }).pipe(Effect.provide(live))
  )

  it.effect("counts in budgets of money, once, and in no other", () =>
    Effect.gen(function* () {
      yield* spender
      const caller = callerOf([budget("usd", 10), budget("requests", 1), budget("tokens", 10)])
      const charge = yield* openFor(caller, { dollars: 2 })
      expect(yield* extend(charge, 8)).toBe(true)
      expect(yield* extend(charge, 11)).toBe(false)
      const other = callerOf([budget("usd", 10)])
      expect((yield* Effect.flip(openFor(other, { dollars: 3 })))._tag).toBe("QuotaExceeded")
      yield* settle(charge, 7)
      const last = yield* openFor(other, { dollars: 3 })
      expect((yield* Effect.flip(openFor(other, { dollars: 1 })))._tag).toBe("QuotaExceeded")
      last.release()
    }).pipe(Effect.provide(budgets))
  )
})

it("adds budgets of the same window, and ends those of another apart", () => {
  const held = (step: number, amount: number) =>
    ({ budget: "b", subject: "", step, account: AccountId.make("a"), endsAt: 9, unit: "usd", amount }) as const
  const first = { nanoUsd: dollar, node: "n", budgets: [held(1, 5)] }
  expect(addHeld(first, { nanoUsd: 2, node: "n", budgets: [held(1, 2)] })).toEqual({
    held: { nanoUsd: dollar + 2, node: "n", budgets: [held(1, 7)] },
    rest: undefined
  })
  expect(addHeld(first, { nanoUsd: 2, node: "n", budgets: [held(2, 2)] })).toEqual({
    held: { nanoUsd: dollar + 2, node: "n", budgets: [held(1, 5)] },
    rest: { nanoUsd: 0, node: "n", budgets: [held(2, 2)] }
  })
  const other = { nanoUsd: 2, node: "m" }
  expect(addHeld(first, other)).toEqual({ held: undefined, rest: other })
  expect(addHeld({ nanoUsd: 0, node: "" }, other).held).toMatchObject(other)
})
