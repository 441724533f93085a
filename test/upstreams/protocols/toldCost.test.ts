import { expect, it } from "@effect/vitest"
import { toldCost } from "../../../src/upstreams/protocols/toldCost.ts"

it.each([
  [{ cost: 0.25 }, 250_000_000],
  [{ cost: 0 }, 0],
  [{ cost_in_usd_ticks: 15 }, 2],
  [{ cost: 0.01, is_byok: true, cost_details: { upstream_inference_cost: 0.2 } }, 210_000_000],
  [{ cost: { total_cost: 0.006 } }, 6_000_000]
])("the charge of %j is believed", (usage, nanoUsd) => {
  expect(toldCost(usage)).toEqual({ toldNanoUsd: nanoUsd })
})

it.each([
  [{ cost: -1 }],
  [{ cost: -1e-12 }],
  [{ cost: 1e308 }],
  [{ cost: 20_000 }],
  [{ cost: "1" }],
  [{ cost: Number.NaN }],
  [{ cost: null }],
  [{ cost: {} }],
  [{ cost_in_usd_ticks: -1 }],
  [{ cost: 0.01, is_byok: true, cost_details: { upstream_inference_cost: -1 } }]
])("the charge of %j is none", (usage) => {
  expect(toldCost(usage)).toEqual({})
})
