import { describe, expect, it } from "@effect/vitest"
import fc from "fast-check"
import { noUsage } from "../../src/generation/GenerationEvent.ts"
import type { Usage as GatewayUsage } from "../../src/generation/GenerationEvent.ts"
import { billOf } from "../../src/ledger/billOf.ts"
import { fromUsd } from "../../src/ledger/Price.ts"
import { toldCost } from "../../src/upstreams/protocols/toldCost.ts"
import { pricedRequests } from "./priced.ts"
import type { Priced } from "./priced.ts"
import { modalities, referenceCost } from "./reference.ts"
import type { Kind, Modality, Tokens } from "./reference.ts"

const { seed = 0 } = fc.readConfigureGlobal()

const countsOf = (tokens: ReadonlyArray<Tokens>): GatewayUsage => {
  const sum = (kinds: ReadonlyArray<Kind>, of: ReadonlyArray<Modality> = modalities) =>
    tokens.reduce(
      (all, { count, kind, modality }) => all + (kinds.includes(kind) && of.includes(modality) ? count : 0),
      0
    )
  return {
    ...noUsage,
    inputTokens: sum(["input"]),
    audioInputTokens: sum(["input"], ["audio"]),
    imageInputTokens: sum(["input"], ["image"]),
    videoInputTokens: sum(["input"], ["video"]),
    cacheReadTokens: sum(["cached"]),
    audioReadTokens: sum(["cached"], ["audio"]),
    imageReadTokens: sum(["cached"], ["image"]),
    videoReadTokens: sum(["cached"], ["video"]),
    cacheWriteTokens: sum(["written", "written_1h", "written_12h"]),
    cacheWriteHourTokens: sum(["written_1h"]),
    cacheWriteHalfDayTokens: sum(["written_12h"]),
    outputTokens: sum(["output", "reasoning"]),
    audioOutputTokens: sum(["output"], ["audio"]),
    imageOutputTokens: sum(["output"], ["image"]),
    reasoningTokens: sum(["reasoning"])
  }
}

/** The gateway's usage of the same request. */
const usedIn = ({ served: { geo, speed, tier }, usage }: Priced["requests"][number]): GatewayUsage => {
  const { web_search: searches = 0, ...calls } = usage.calls ?? {}
  return {
    ...countsOf(usage.tokens),
    searches,
    calls,
    served: { ...(tier && { tier }), ...(speed && { speed }), ...(geo && { geo }) },
    ...(usage.runs && {
      besides: usage.runs.map(({ model, tokens }) => ({ ...countsOf(tokens), ...(model && { model }) }))
    }),
    ...(usage.toldUsd !== undefined && toldCost({ cost: Number(usage.toldUsd) }))
  }
}

/** Prices of a part, and requests each. The parts are short, so that a slow machine's test worker still answers. */
const [prices, each] = [200, 10] as const

describe("a price of any dimensions", () => {
  it.each([1, 2, 3, 4, 5])("costs what the rules say (2,000 of 10,000 requests, part %i)", (part) => {
    fc.assert(
      fc.property(pricedRequests(each), ({ others, price, requests }) => {
        const own = { ...fromUsd(price), others: (name: string) => others[name] && fromUsd(others[name]) }
        for (const one of requests) {
          const expected = Number(referenceCost(price, one.usage, one.served, one.arrived, others))
          const billing = { atMs: one.arrived.getTime(), estimated: false, heldNanoUsd: () => Infinity }
          const cost = billOf(own, usedIn(one), billing).dueNanoUsd
          if (cost !== expected) expect({ ...one, cost }).toEqual({ ...one, cost: expected })
        }
      }),
      { numRuns: prices, seed: seed + part }
    )
  })
})
