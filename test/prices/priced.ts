import fc from "fast-check"
import type { PriceInUsd } from "../../src/ledger/videoPrice.ts"
import { plainName, tierName } from "./reference.ts"
import type { Run, Served, Tokens, Usage } from "./reference.ts"

/** A price, that of other models, and requests that it is for. */
export interface Priced {
  readonly price: PriceInUsd
  readonly others: Readonly<Record<string, PriceInUsd>>
  readonly requests: ReadonlyArray<Request>
}

/** What a request used, how it was served and when it arrived. */
interface Request {
  readonly usage: Usage
  readonly served: Served
  readonly arrived: Date
}

const maybe = <A>(one: fc.Arbitrary<A>) => fc.option(one, { nil: undefined })
/** A record without the members that were drawn as undefined. */
const without = <A extends object>(one: fc.Arbitrary<A>): fc.Arbitrary<A> =>
  one.map((all) =>
    Object.assign({}, ...Object.entries(all).map(([name, value]) => value !== undefined && { [name]: value }))
  )

const usd = fc
  .tuple(fc.nat(99_999), fc.constantFrom(1, 10, 100, 1_000, 10_000, 1_000_000))
  .map(([digits, under]) => digits / under)
const factor = fc.constantFrom(0, 0.25, 0.3, 0.5, 1, 1.1, 1.25, 1.67, 1.75, 1.8, 2, 2.5, 6)
const modal = without(fc.record({ input: maybe(usd), cached_input: maybe(usd), output: maybe(usd) }))
const rates = without(
  fc.record({
    input: usd,
    cached_input: maybe(usd),
    cache_write: maybe(usd),
    cache_write_1h: maybe(usd),
    cache_write_12h: maybe(usd),
    output: usd,
    reasoning: maybe(usd),
    audio: maybe(modal),
    image: maybe(modal),
    video: maybe(modal)
  })
)
const steps = ["1000", "100000", "199999", "272000"] as const
const above = maybe(fc.dictionary(fc.constantFrom(...steps), rates, { minKeys: 1, maxKeys: 2 }))
const row = fc.oneof(
  { weight: 3, arbitrary: factor },
  fc.tuple(rates, above).map(([own, longer]) => ({ ...own, ...(longer && { above: longer }) }))
)
const rowsOf = (...names: ReadonlyArray<string>) =>
  maybe(fc.dictionary(fc.constantFrom(...names), row, { minKeys: 1, maxKeys: 3 }))

const clock = fc
  .tuple(fc.nat(23), fc.constantFrom(0, 30, 59))
  .map((both) => both.map((one) => String(one).padStart(2, "0")).join(":"))
const hours = without(
  fc.record({
    utc: maybe(
      fc.array(
        fc.tuple(clock, clock).map((both) => both.join("-")),
        { minLength: 1, maxLength: 3 }
      )
    ),
    days: maybe(fc.subarray(["sun", "mon", "tue", "wed", "thu", "fri", "sat"] as const, { minLength: 1 })),
    factor
  })
)
const call = fc.oneof(usd, fc.record({ usd, once: fc.boolean() }))
const tools = ["web_search", "image_generation", "file_search", "x_search", "maps"] as const

const price = fc
  .tuple(
    rates,
    above,
    without(
      fc.record({
        flex: maybe(fc.constantFrom(0.3, 0.5)),
        service_tier: rowsOf("priority", "Flex", "ultrafast"),
        speed: rowsOf("fast"),
        inference_geo: rowsOf("us", "eu"),
        hours: maybe(fc.array(hours, { minLength: 1, maxLength: 3 })),
        factor: maybe(factor),
        per_search: maybe(usd),
        per_call: maybe(fc.dictionary(fc.constantFrom(...tools), call, { minKeys: 1 })),
        per_request: maybe(usd),
        told: maybe(fc.boolean())
      })
    )
  )
  .map(([own, longer, rest]): PriceInUsd => ({ ...own, ...(longer && { above: longer }), ...rest }))

const count = fc.oneof(fc.nat(300), fc.nat(400_000), fc.constantFrom(1_000, 1_001, 100_000, 200_000, 272_000, 272_001))
const tokens: fc.Arbitrary<ReadonlyArray<Tokens>> = fc.uniqueArray(
  fc.oneof(
    fc.record<Tokens>({
      kind: fc.constantFrom("input", "cached", "written", "written_1h", "written_12h", "output", "reasoning"),
      modality: fc.constant("text"),
      count
    }),
    fc.record<Tokens>({
      kind: fc.constantFrom("input", "cached"),
      modality: fc.constantFrom("audio", "image", "video"),
      count
    }),
    fc.record<Tokens>({ kind: fc.constant("output"), modality: fc.constantFrom("audio", "image"), count })
  ),
  { selector: ({ kind, modality }) => `${kind} ${modality}`, maxLength: 8 }
)
const run: fc.Arbitrary<Run> = without(fc.record({ model: maybe(fc.constantFrom("advisor", "unknown")), tokens }))
const usage: fc.Arbitrary<Usage> = without(
  fc.record({
    tokens,
    runs: maybe(fc.array(run, { maxLength: 2 })),
    calls: maybe(fc.dictionary(fc.constantFrom(...tools), fc.nat(6), { noNullPrototype: true })),
    toldUsd: maybe(
      fc.tuple(fc.nat(999_999), fc.constantFrom(1_000, 1e6, 1e9, 1e10)).map(([n, under]) => `${n / under}`)
    )
  })
)

const tierNames = [
  undefined,
  "default",
  "STANDARD",
  "on_demand",
  "auto",
  null,
  "priority",
  "fast",
  "Priority",
  "flex",
  "ultrafast",
  "scale"
]
const served: fc.Arbitrary<Served> = fc.record({
  tier: fc.constantFrom(...tierNames),
  speed: fc.constantFrom(undefined, "standard", null, "fast", "Fast", "slow"),
  geo: fc.constantFrom(undefined, "global", "not_available", null, "us", "EU", "mars")
})

/** True if the rows have a price for the name, or have one that is the dearest: of rates that cross each other none is. */
const isDecided = (rows: PriceInUsd["speed"] = {}, nameOf: (name: string) => string, name: string) =>
  nameOf(name) === "" ||
  Object.keys(rows).some((one) => nameOf(one) === nameOf(name)) ||
  Object.values(rows).every((one) => typeof one === "number")

const decided = ({ others, price, requests }: Priced): Priced => {
  const prices = [price, ...Object.values(others)]
  const servedAs = ({ geo, speed, tier }: Served): Served => ({
    ...(prices.every((one) => isDecided(one.service_tier, tierName, tier ?? "")) && { tier }),
    ...(prices.every((one) => isDecided(one.speed, plainName, speed ?? "")) && { speed }),
    ...(prices.every((one) => isDecided(one.inference_geo, plainName, geo ?? "")) && { geo })
  })
  return { price, others, requests: requests.map((one) => ({ ...one, served: servedAs(one.served) })) }
}

const arrived = fc.date({ min: new Date("2026-01-01"), max: new Date("2028-12-31"), noInvalidDate: true })

/** @param each how many requests a price is for: prices are what takes long to draw */
export const pricedRequests = (each: number): fc.Arbitrary<Priced> =>
  fc
    .record<Priced>({
      price,
      others: price.map((advisor) => ({ advisor })),
      requests: fc.array(fc.record({ usage, served, arrived }), { minLength: each, maxLength: each, size: "max" })
    })
    .map(decided)
