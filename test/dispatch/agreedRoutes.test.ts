import { describe, expect, it } from "vitest"
import { Caller } from "../../src/contract/callers/Caller.ts"
import { agreedRoutes } from "../../src/dispatch/agreedRoutes.ts"
import { noUsage } from "../../src/generation/GenerationEvent.ts"
import { costOf } from "../../src/ledger/cost.ts"
import { Offers } from "../../src/ledger/Offers.ts"
import { fromUsd } from "../../src/ledger/Price.ts"
import type { Price } from "../../src/ledger/Price.ts"
import { storedRequest } from "../../src/tasks/StoredRequest.ts"

/** A price of dollars a million tokens, beside an image model's. */
const priceOf = (dollars: number, image: number): Price => ({
  ...fromUsd({ input: dollars }),
  others: (model) => (model === "drawer" || model === "advisor" ? fromUsd({ input: image }) : undefined)
})
const routeAt = (price: Price) => ({
  upstream: "u",
  model: "m",
  part: "u",
  price,
  endpoint: undefined,
  outputLimit: undefined,
  mostWritten: undefined
})
/** A million tokens of another model. */
const worked = (model: string) => ({ ...noUsage, besides: [{ ...noUsage, inputTokens: 1_000_000, model }] })
const dollar = 1_000_000_000

describe("the price of a task that runs later", () => {
  const now = priceOf(1, 7)
  const incoming = { id: "req_1", headers: new Headers(), body: {} }
  const stored = (otherModels: ReadonlyArray<string>) =>
    storedRequest(Caller.unrestricted("team"), incoming, [], {
      offers: new Offers([{ upstream: "u", model: "m", price: priceOf(1, 5) }]),
      otherModels
    }).routes

  it("is the agreed one of each model that the request names, and today's of others", () => {
    const [{ price }] = agreedRoutes([routeAt(now)], stored(["drawer"]))
    expect(costOf(price, { ...noUsage, inputTokens: 1_000_000 })).toBe(dollar)
    expect(costOf(price, worked("drawer"))).toBe(5 * dollar)
    expect(costOf(price, worked("advisor"))).toBe(7 * dollar)
    // Without a price of its own it costs as the model that called it.
    expect(costOf(price, worked("nobody"))).toBe(dollar)
  })

  it("is today's of other models, where an older gateway stored none", () => {
    const [{ price }] = agreedRoutes([routeAt(now)], stored([]))
    expect(costOf(price, worked("drawer"))).toBe(7 * dollar)
  })
})
