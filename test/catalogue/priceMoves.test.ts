import { SqlClient } from "@effect/sql"
import { afterAll, expect, it } from "@effect/vitest"
import { Effect, Either, Layer } from "effect"
import { PriceRefresh } from "../../src/catalogue/prices/fetched/PriceRefresh.ts"
import { UsedPrices } from "../../src/catalogue/prices/fetched/UsedPrices.ts"
import { PriceLists } from "../../src/catalogue/store/PriceLists.ts"
import type { Price } from "../../src/ledger/Price.ts"
import { database, describeOnEach } from "../sql/engines.ts"

let list = "{}"
const server = Bun.serve({ port: 0, fetch: () => new Response(list) })
afterAll(() => server.stop(true))
const answers = (prices: object) => {
  list = JSON.stringify(prices)
}
const place = { from: `http://127.0.0.1:${server.port}/list.json`, proxy: undefined }

const used = (name: string) =>
  Effect.map(
    Effect.flatMap(UsedPrices, ({ load }) => load),
    (list) => list?.find(name)
  )
const shown = (one: string | Price) => (typeof one === "string" ? one : one.rates.output / 1e9)

type Services = PriceRefresh | UsedPrices | SqlClient.SqlClient

describeOnEach("a price that moves in a fetched list", () => {
  const services = Layer.mergeAll(PriceRefresh.Default, PriceLists.Default, UsedPrices.Default).pipe(
    Layer.provideMerge(database())
  )
  const live = <A, E>(name: string, test: Effect.Effect<A, E, Services>) =>
    it.scoped(name, () => Effect.provide(test, services))
  const refresh = (accepts = false) => Effect.flatMap(PriceRefresh, (prices) => prices.refresh(place, accepts))
  const outputOf = (name: string) => Effect.map(used(name), (price) => (price?.rates.output ?? 0) / 1e9)

  live(
    "counts a move from what was last accepted, else from the built-in or the first price, whatever steps it takes",
    Effect.gen(function* () {
      const offer = (factor: number, more: object = {}) => {
        // The built-in price of gpt-5 is 1.25 and 10.
        answers({ house: { input: 1, output: factor }, "gpt-5": { input: 1.25, output: 10 * factor }, ...more })
        return refresh()
      }
      expect((yield* offer(1)).moved).toEqual([])
      expect((yield* offer(8)).moved).toEqual([])
      for (const factor of [64, 512, 4_096]) {
        const { moved } = yield* offer(factor)
        expect(moved.map(({ base, before, name, offered }) => [name, base, before, offered].map(shown))).toEqual([
          ["house", 1, 8, factor],
          ["gpt-5", 10, 80, 10 * factor]
        ])
        expect([yield* outputOf("house"), yield* outputOf("gpt-5")]).toEqual([8, 80])
      }
      // A name that leaves the list and comes back is no new one.
      answers({ other: { input: 1 }, "gpt-5": { input: 1.25, output: 10 } })
      yield* refresh()
      expect((yield* offer(64)).moved.map(({ name }) => name)).toEqual(["house", "gpt-5"])
      expect([yield* outputOf("house"), yield* outputOf("gpt-5")]).toEqual([0, 10])
      yield* refresh(true)
      expect([yield* outputOf("house"), yield* outputOf("gpt-5")]).toEqual([64, 640])
      expect((yield* offer(512)).moved).toEqual([])
      expect((yield* offer(4_096)).moved.map(({ base }) => shown(base))).toEqual([64, 640])
      expect((yield* offer(8)).moved).toEqual([])
      expect((yield* offer(1)).moved.map(({ base }) => shown(base))).toEqual([64, 640])
    })
  )

  live(
    "counts from the built-in price, and from the price in use of other names, where an older version stored it",
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      answers({ house: { input: 1 } })
      yield* refresh()
      const stored = {
        prices: { house: { usd: { input: 8 } }, "gpt-5": { usd: { input: 80, output: 640 } } },
        held: {}
      }
      yield* sql`UPDATE price_list SET document = ${JSON.stringify(stored)}`
      answers({ house: { input: 64 }, "gpt-5": { input: 80, output: 640 } })
      expect((yield* refresh()).moved.map(({ name }) => name)).toEqual(["gpt-5"])
      answers({ house: { input: 81 }, "gpt-5": { input: 80, output: 640 } })
      expect((yield* refresh()).moved.map(({ name }) => name)).toEqual(["house", "gpt-5"])
      expect((yield* used("house"))?.rates.input).toBe(64e9)
    })
  )

  live(
    "takes new prices of caches, searches and calls in a usual size alone",
    Effect.gen(function* () {
      const base = { input: 1, output: 1, cache_write: 0 }
      answers({ house: base })
      yield* refresh()
      const dear = [
        { per_search: 2 },
        { per_call: { maps: 2 } },
        { cache_write: 11 },
        { cached_input: 11 },
        { reasoning: 11 }
      ]
      for (const more of dear) {
        answers({ house: { ...base, ...more } })
        expect([more, (yield* refresh()).moved.length]).toEqual([more, 1])
      }
      answers({ house: { ...base, per_search: 0.03, per_call: { maps: 0.2 }, cache_write: 1.25 } })
      expect((yield* refresh()).moved).toEqual([])
    })
  )

  live(
    "does not lose more than half of its prices by small steps",
    Effect.gen(function* () {
      const offer = (length: number) =>
        Effect.suspend(() => {
          answers(Object.fromEntries(Array.from({ length }, (_, at) => [`m${at}`, { input: 1 }])))
          return Effect.either(refresh())
        })
      expect((yield* Effect.all([offer(10), offer(6)])).map(Either.isRight)).toEqual([true, true])
      expect(Either.isLeft(yield* offer(4))).toBe(true)
      yield* refresh(true)
      expect(Either.isRight(yield* offer(3))).toBe(true)
    })
  )

  live(
    "remembers a bounded number of names",
    Effect.gen(function* () {
      const offer = (from: number) =>
        Effect.suspend(() => {
          answers(Object.fromEntries(Array.from({ length: 15_000 }, (_, at) => [`m${from + at}`, { input: 1 }])))
          return Effect.either(refresh())
        })
      expect((yield* Effect.all([offer(0), offer(20_000)])).map(Either.isRight)).toEqual([true, true])
      const third = yield* offer(40_000)
      expect(Either.isLeft(third) ? third.left.message : third).toBe("with those before it, it named 45000 models")
      yield* refresh(true)
      expect(Either.isRight(yield* offer(60_000))).toBe(true)
    })
  )
})
