import { describe, expect, it } from "@effect/vitest"
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
})

it("names the first few of a counter's label values, and counts the others together", () => {
  const registry = new Registry()
  const cost = registry.counterOfFew(2, "c_total", "C.", "account")
  for (const account of ["a", "b", "c", "d", "a"]) cost.of(account).add(1)
  expect(registry.text()).toContain('c_total{account="a"} 2\nc_total{account="b"} 1\nc_total{account="other"} 2\n')
})

it("leaves a label out that has no value", () => {
  const registry = new Registry()
  registry.counter("c_total", "C.", "model", "error").of("m", "").add(1)
  expect(registry.text()).toContain('c_total{model="m"} 1\n')
})
