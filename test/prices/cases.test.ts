import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { describeOnEach, gatewayEnv } from "../sql/engines.ts"
import { cases, moreCases } from "./cases.ts"
import { allWays, ownWays, startPlaying } from "./played.ts"
import type { Played } from "./played.ts"
import { referenceCost } from "./reference.ts"

/*
 * Each worked price: the answer is played by a provider, whole and streamed where its wire has both, passed through and
 * translated where that is possible, and the usage row must have the cost that was computed by hand. The key's money is
 * counted, so that a charge above its hold would be cut.
 */

const all = [...cases, ...moreCases]

describeOnEach("a worked price is what the row costs", ({ name }) => {
  let played: Played
  beforeAll(async () => {
    played = await startPlaying(all, await gatewayEnv(`prices-${name}`))
    // What is asked in which family makes no difference to the database.
    for (const one of all) await played.ask(one, name === "sqlite" ? allWays(one) : ownWays(one))
  }, 120_000)
  afterAll(() => played.dispose())

  it.each(all.map((one) => [one.id, one] as const))("%s", async (id, one) => {
    const costs = await played.costs(id)
    expect(costs).toEqual(Object.fromEntries(Object.keys(costs).map((way) => [way, one.nano_usd])))
  })
  it.each(all.map((one) => [one.id, one] as const))("%s is explained by its parts", async (id, one) => {
    for (const cost of await played.explained(id)) {
      expect([cost?.sum.nano_usd, cost?.charged.nano_usd]).toEqual([one.nano_usd, one.nano_usd])
      const sum = cost?.lines.reduce((all, { usd }) => all + quadrillionths(usd), 0n) ?? 0n
      expect(Number((sum + 500_000n) / 1_000_000n)).toBe(one.nano_usd)
      const parts = cost?.lines.map(({ count, per, price_usd: usd }) => ({
        count,
        usd,
        per: per === 1 ? "one" : "million"
      }))
      expect(countsAt(parts ?? [])).toEqual(countsAt(one.terms))
    }
  })
  if (name === "sqlite") {
    it.each(all.map((one) => [one.id, one] as const))("%s is bounded by its quote", async (_, one) => {
      expect(await played.quoteOf(one)).toBeGreaterThanOrEqual(one.nano_usd)
    })
  }
})

describe("a worked price", () => {
  it.each(moreCases.map((one) => [one.id, one] as const))("%s is what the rules say", (_, one) => {
    const { arrived, counted, price, tool_prices } = one
    const { served = {}, usage = { tokens: [] } } = counted ?? {}
    const at = arrived === undefined ? new Date() : new Date(arrived)
    expect(Number(referenceCost(price, usage, served, at, tool_prices))).toBe(one.nano_usd)
  })
})

/** A line in 10⁻¹⁵ dollars. */
const quadrillionths = (usd: string): bigint => {
  const [whole = "", digits = ""] = usd.split(".")
  return BigInt(whole + digits.padEnd(15, "0"))
}

/** The counts at each price: reasoning is a line of its own, and by hand a part of the output. */
const countsAt = (
  parts: ReadonlyArray<{ readonly count: number; readonly usd: number | string; readonly per: string }>
) => {
  const counts: Record<string, number> = {}
  for (const { count, per, usd } of parts) {
    // What a provider tells may have more decimals than a nano-dollar.
    const price = `${Number(Number(usd).toFixed(9))} per ${per}`
    if (count > 0 && Number(usd) > 0) counts[price] = (counts[price] ?? 0) + count
  }
  return counts
}
