import { describe, expect, it } from "vitest"
import { addUsage, wholeUsage } from "../../src/generation/addUsage.ts"
import { noUsage } from "../../src/generation/GenerationEvent.ts"
import { costsWithin } from "../../src/ledger/aboveHold.ts"
import { billOf } from "../../src/ledger/billOf.ts"
import { fromUsd } from "../../src/ledger/Price.ts"

/** 2,000 nano-dollars by the price. */
const used = { ...noUsage, inputTokens: 2_000 }
const listed = fromUsd({ input: 1 })
const charging = fromUsd({ input: 1, told: true })
const bill = (price: typeof listed, toldNanoUsd: number | undefined, held: number | undefined = 1_000_000) =>
  billOf(price, toldNanoUsd === undefined ? used : { ...used, toldNanoUsd }, {
    atMs: 0,
    estimated: false,
    heldNanoUsd: () => held
  })

describe("the bill of an answer", () => {
  it("is the cost by the price, and the operator's is what the provider says", () => {
    expect(bill(listed, undefined)).toMatchObject({ dueNanoUsd: 2_000_000, upstreamCostNanoUsd: 2_000_000 })
    expect(bill(listed, 3_000_000)).toMatchObject({ dueNanoUsd: 2_000_000, upstreamCostNanoUsd: 3_000_000 })
    expect(bill(listed, 0)).toMatchObject({ dueNanoUsd: 2_000_000, upstreamCostNanoUsd: 0 })
  })

  it("is what the provider says, where the price says so", () => {
    expect(bill(charging, 3_000_000)).toMatchObject({ dueNanoUsd: 3_000_000, upstreamCostNanoUsd: 3_000_000 })
    expect(bill(charging, undefined)).toMatchObject({ dueNanoUsd: 2_000_000, upstreamCostNanoUsd: 2_000_000 })
    expect(bill(fromUsd({ told: true }), 3_000_000, 0)).toMatchObject({ dueNanoUsd: 3_000_000 })
  })

  it("does not believe more than ten times what was held, or would be", () => {
    for (const price of [listed, charging]) {
      expect(bill(price, 10_000_000)).toMatchObject({ upstreamCostNanoUsd: 10_000_000 })
      expect(bill(price, 10_000_001)).toMatchObject({ dueNanoUsd: 2_000_000, upstreamCostNanoUsd: 2_000_000 })
    }
    // The hold is not known: the cost by the price stands for it.
    const unknown = (toldNanoUsd: number) =>
      billOf(listed, { ...used, toldNanoUsd }, { atMs: 0, estimated: false, heldNanoUsd: () => undefined })
    expect(unknown(20_000_000).upstreamCostNanoUsd).toBe(20_000_000)
    expect(unknown(20_000_001).upstreamCostNanoUsd).toBe(2_000_000)
  })

  it("is marked if both differ by more than 1 %", () => {
    const difference = (told: number, estimated = false) =>
      billOf(listed, { ...used, toldNanoUsd: told }, { atMs: 0, estimated, heldNanoUsd: () => 1_000_000 })
        .toldDifferenceNanoUsd
    expect([2_000_000, 2_020_000, 1_980_000].map((told) => difference(told))).toEqual([0, 0, 0])
    expect([2_020_001, 1_979_999, 0].map((told) => difference(told))).toEqual([20_001, -20_001, -2_000_000])
    // A charge that is not believed is a difference too, a count of the gateway's own is none.
    expect(difference(20_000_000)).toBe(18_000_000)
    expect(difference(3_000_000, true)).toBe(0)
    expect(bill(fromUsd({}), 3_000_000)).toMatchObject({ dueNanoUsd: 0, toldDifferenceNanoUsd: 0 })
  })

  it("is charged up to the hold, whatever the provider says", () => {
    expect(costsWithin(1_000_000, bill(charging, 3_000_000))).toEqual({
      costNanoUsd: 1_000_000,
      upstreamCostNanoUsd: 3_000_000,
      aboveHoldNanoUsd: 2_000_000,
      toldDifferenceNanoUsd: 1_000_000
    })
  })
})

describe("calls of servers' tools", () => {
  const toolCalls = [{ of: "jira/search", count: 2, rate: 5 }]
  const billed = (price: typeof listed) =>
    billOf(
      price,
      { ...used, toldNanoUsd: 3_000_000, toolCalls },
      { atMs: 0, estimated: false, heldNanoUsd: () => 1_000_000 }
    )
  const line = { of: "jira/search", count: 2, rate: 5, per: 1 }
  it("are due beside the price and beside what the provider says, and no cost of upstreams", () => {
    expect(billed(listed)).toMatchObject({
      dueNanoUsd: 2_000_010,
      upstreamCostNanoUsd: 3_000_000,
      toldDifferenceNanoUsd: 1_000_000,
      costLines: [{ of: "input_tokens", count: 2_000 }, line]
    })
    expect(billed(charging)).toMatchObject({ dueNanoUsd: 3_000_010, costLines: [{ of: "told" }, line] })
    expect(billed(fromUsd({}))).toMatchObject({ dueNanoUsd: 10, costLines: [line] })
  })
  it("are added by tool and price", () => {
    const dearer = [{ of: "jira/search", count: 1, rate: 6 }]
    expect(
      addUsage({ ...used, toolCalls }, addUsage({ ...used, toolCalls }, { ...used, toolCalls: dearer })).toolCalls
    ).toEqual([{ of: "jira/search", count: 4, rate: 5 }, ...dearer])
  })
})

describe("the charge of several generations", () => {
  const told = (toldNanoUsd: number) => ({ ...used, toldNanoUsd })
  it("is known if each of them tells its own", () => {
    expect(addUsage(told(2), told(3)).toldNanoUsd).toBe(5)
    expect(addUsage(noUsage, told(3)).toldNanoUsd).toBe(3)
    expect(addUsage(told(2), noUsage).toldNanoUsd).toBe(2)
    expect(addUsage(told(2), used).toldNanoUsd).toBeUndefined()
    expect(addUsage(used, told(3)).toldNanoUsd).toBeUndefined()
    expect(addUsage(noUsage, noUsage)).not.toHaveProperty("toldNanoUsd")
  })
  it("covers what the provider ran besides", () => {
    expect(wholeUsage({ ...told(7), besides: [used] })).toMatchObject({ inputTokens: 4_000, toldNanoUsd: 7 })
  })
})
