import { describe, expect, it } from "@effect/vitest"
import { isLeap } from "../../../../src/catalogue/prices/fetched/moves.ts"
import { fromUsd } from "../../../../src/ledger/Price.ts"

describe("a leap", () => {
  const plain = { input: 2, cached_input: 0.2, cache_write: 2.5, output: 10 }
  const leaps = (before: object, after: object) =>
    isLeap(fromUsd({ ...plain, ...before }), fromUsd({ ...plain, ...after }))

  it.each([
    [{}, { service_tier: { ultrafast: 11 } }],
    [{}, { service_tier: { flex: 0.09 } }],
    [{}, { service_tier: { priority: { input: 4, output: 101 } } }],
    [{ service_tier: { priority: 2 } }, { service_tier: { priority: 21 } }],
    [{ service_tier: { priority: 20 } }, { service_tier: { priority: 1.9 } }],
    [
      { service_tier: { flex: { input: 1, output: 5, above: { 1000: { input: 2, output: 5 } } } } },
      { service_tier: { flex: { input: 1, output: 5, above: { 1000: { input: 21, output: 5 } } } } }
    ],
    [{}, { speed: { fast: 11 } }],
    [{}, { inference_geo: { us: 11 } }],
    [{}, { hours: [{ factor: 0.09 }] }],
    [{ hours: [{ factor: 0.5 }] }, { hours: [{ factor: 0.04 }] }],
    [{ factor: 0.05 }, {}],
    [{}, { factor: 11 }],
    [{}, { audio: { input: 1_001 } }],
    [{ audio: { input: 30, output: 60 } }, { audio: { input: 30, output: 601 } }],
    [{ audio: { input: 30, output: 120 } }, {}],
    [{}, { cache_write_12h: 51 }],
    [{}, { per_request: 1.5 }],
    [{ per_request: 0.01 }, { per_request: 0.2 }]
  ])("is from %j to %j", (before, after) => {
    expect(leaps(before, after)).toBe(true)
  })

  it.each([
    [{}, { cache_write_12h: 5, service_tier: { flex: 0.5, priority: 2, ultrafast: 6 } }],
    [{ service_tier: { priority: 2 } }, {}],
    [{}, { audio: { input: 32, output: 64 }, image: { output: 120 } }],
    [{}, { speed: { fast: 2 }, inference_geo: { us: 1.1 }, hours: [{ factor: 0.5 }], per_request: 0.01 }],
    [{ output: 30 }, { output: 0, image: { output: 30 } }]
  ])("is not from %j to %j", (before, after) => {
    expect(leaps(before, after)).toBe(false)
  })
})
