import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { AccountId, KeyId } from "../../src/contract/callers/Caller.ts"
import { noUsage } from "../../src/generation/GenerationEvent.ts"
import { byDay, byHour } from "../../src/ledger/store/usageRows.ts"
import { SumNames } from "../../src/ledger/SumNames.ts"

const dayMs = 86_400_000
const isBelow = (model: string) => (model.startsWith("team/") ? "team/*" : undefined)

const named = Effect.map(SumNames, ({ follow, of }) => {
  follow(isBelow)
  return (model: string, given: { account?: string; atMs?: number; isAnswered?: boolean } = {}) =>
    of({ account: "me", atMs: 0, isAnswered: true, ...given, model })
})

describe("the names of models in sums", () => {
  it.effect("are their own where no wildcard matches, whoever names them", () =>
    Effect.gen(function* () {
      const nameOf = yield* named
      for (let n = 0; n < 1_000; n++) expect(nameOf(`house-${n}`, { isAnswered: false })).toBeUndefined()
    }).pipe(Effect.provide(SumNames.Default))
  )

  it.effect("are the wildcard's until an upstream has answered", () =>
    Effect.gen(function* () {
      const nameOf = yield* named
      expect(nameOf("team/made-up", { isAnswered: false })).toBe("team/*")
      expect(nameOf("team/known")).toBeUndefined()
      expect(nameOf("team/known", { isAnswered: false })).toBeUndefined()
      expect(nameOf("team/known", { account: "other", isAnswered: false })).toBe("team/*")
    }).pipe(Effect.provide(SumNames.Default))
  )

  it.effect("are a hundred of an account in a day, where an upstream answers to any; what fails takes no place", () =>
    Effect.gen(function* () {
      const nameOf = yield* named
      for (let n = 0; n < 200; n++) nameOf(`team/failed-${n}`, { isAnswered: false })
      const names = (account: string, atMs = 0) =>
        new Set(Array.from({ length: 300 }, (_, n) => nameOf(`team/${n}`, { account, atMs }) ?? `team/${n}`))
      expect(names("me").size).toBe(101)
      expect(names("other").size).toBe(101)
      // Those of the day stay as they are.
      expect(nameOf("team/0")).toBeUndefined()
      expect(nameOf("team/299")).toBe("team/*")
      expect(names("me", dayMs).size).toBe(101)
      expect(nameOf("team/299", { atMs: dayMs - 1 })).toBe("team/*")
    }).pipe(Effect.provide(SumNames.Default))
  )

  it.effect("are ten thousand of all accounts in a process", () =>
    Effect.gen(function* () {
      const nameOf = yield* named
      let own = 0
      for (let n = 0; n < 12_000; n++) {
        if (nameOf(`team/${n}`, { account: `account-${n % 500}` }) === undefined) own++
      }
      expect(own).toBe(10_000)
    }).pipe(Effect.provide(SumNames.Default))
  )

  it("are those of the sums, and not of the rows", () => {
    const row = (model: string, summedAs?: string) => ({
      atMs: 0,
      requestId: model,
      account: AccountId.make("me"),
      key: KeyId.make("key"),
      model,
      summedAs,
      upstream: "u",
      outcome: "finished" as const,
      estimated: false,
      used: { ...noUsage, inputTokens: 1 },
      price: "{}",
      costNanoUsd: 5,
      upstreamCostNanoUsd: 5,
      aboveHoldNanoUsd: 0
    })
    const rows = [row("team/a"), row("team/b", "team/*"), row("team/c", "team/*"), row("team/a")]
    const sums = [byHour(rows), byDay(byHour(rows))].map((some) =>
      some.map(({ cost_nano_usd, model, requests }) => [model, requests, cost_nano_usd])
    )
    const expected = [
      ["team/a", 2, 10],
      ["team/*", 2, 10]
    ]
    expect(sums).toEqual([expected, expected])
  })
})
