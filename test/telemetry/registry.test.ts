import { describe, expect, it } from "@effect/vitest"
import { makeMetrics, requestCounter } from "../../src/telemetry/Metrics.ts"
import { Registry } from "../../src/telemetry/Registry.ts"

describe("the registry", () => {
  it("writes Prometheus's text: help, type, one line a series, buckets that add up", () => {
    const registry = new Registry()
    registry.counter("c_total", "A counter.", "model", "kind").of('a "b"\\\nc', "x").add(2.5)
    const seconds = registry.histogram("h", "A histogram.", [0.1, 1]).of()
    for (const value of [0.1, 0.5, 7]) seconds.observe(value)
    registry.gauge("g", "A gauge.").of().value = -1
    expect(registry.text()).toBe(
      [
        "# HELP c_total A counter.",
        "# TYPE c_total counter",
        String.raw`c_total{model="a \"b\"\\\nc",kind="x"} 2.5`,
        "# HELP h A histogram.",
        "# TYPE h histogram",
        'h_bucket{le="0.1"} 1',
        'h_bucket{le="1"} 2',
        'h_bucket{le="+Inf"} 3',
        "h_sum 7.6",
        "h_count 3",
        "# HELP g A gauge.",
        "# TYPE g gauge",
        "g -1",
        ""
      ].join("\n")
    )
  })

  it("counts what exceeds a thousand label values together", () => {
    const registry = new Registry()
    const family = registry.counter("c", "C.", "a", "b")
    for (let i = 0; i < 5_000; i++) family.of(String(i), "b").add(1)
    const lines = registry.text().trimEnd().split("\n")
    expect(lines).toHaveLength(2 + 1_001)
    expect(lines).toContain('c{a="other",b="other"} 4000')
    family.of("7", "b").add(1)
    expect(registry.text()).toContain('c{a="7",b="b"} 2')
  })

  it("costs a request and a generation next to nothing", () => {
    const metrics = makeMetrics()
    const count = requestCounter(metrics, "POST /v1/messages")
    const rounds = 200_000
    const best = Math.min(
      ...Array.from({ length: 5 }, () => {
        const begun = performance.now()
        for (let i = 0; i < rounds; i++) {
          count(200, i % 100)
          metrics.generations.of("some-model", "some-upstream", "finished").add(1)
        }
        return ((performance.now() - begun) * 1_000) / rounds
      })
    )
    // Microseconds for both; about 0.1 where nothing else runs.
    expect(best).toBeLessThan(1)
  })
})
