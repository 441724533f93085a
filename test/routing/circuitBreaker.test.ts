import { describe, expect, it } from "@effect/vitest"
import { CircuitBreaker } from "../../src/routing/CircuitBreaker.ts"

const rules = { windowMs: 6_000, leastCalls: 4, failureRate: 0.5, openMs: 1_000, openAtMostMs: 3_000 }

/** Calls that fail (`x`) or succeed (`.`), one after the other at one time. */
const calls = (circuit: CircuitBreaker, outcomes: string, now: number) => {
  for (const outcome of outcomes) {
    const pass = circuit.enter(now)
    if (pass === undefined) throw new Error("it is open")
    if (outcome === "x") circuit.recordFailure(pass, now)
    else circuit.recordSuccess(pass, now)
  }
}
const opened = (now = 0) => {
  const circuit = new CircuitBreaker(rules)
  calls(circuit, "xxxx", now)
  return circuit
}

describe("a circuit", () => {
  it("opens once enough calls were made and as many of them as may not have failed", () => {
    const circuit = new CircuitBreaker(rules)
    calls(circuit, "xxx", 0)
    expect(circuit.enter(0)).toBe("usual")
    calls(circuit, "x", 0)
    expect(circuit.enter(0)).toBeUndefined()
    const mostlyWell = new CircuitBreaker(rules)
    calls(mostlyWell, "...x.x", 0)
    expect(mostlyWell.enter(0)).toBe("usual")
    calls(mostlyWell, "xx", 0)
    expect(mostlyWell.enter(0)).toBeUndefined()
  })

  it("forgets what is older than its window, bit by bit", () => {
    const circuit = new CircuitBreaker(rules)
    calls(circuit, "xxx", 0)
    calls(circuit, "x", 6_000)
    expect(circuit.enter(6_000)).toBe("usual")
    calls(circuit, "xx", 9_000)
    expect(circuit.enter(9_000)).toBe("usual")
    calls(circuit, "x", 11_999)
    expect(circuit.enter(11_999)).toBeUndefined()
  })

  it("lets one call through after a while, whose success closes it", () => {
    const circuit = opened()
    expect(circuit.enter(999)).toBeUndefined()
    expect(circuit.enter(1_000)).toBe("probe")
    expect(circuit.enter(1_000)).toBeUndefined()
    circuit.recordSuccess("probe", 1_100)
    expect(circuit.enter(1_100)).toBe("usual")
    calls(circuit, "xxx", 1_100)
    expect(circuit.enter(1_100)).toBe("usual")
  })

  it("stays open for twice as long after each probe that fails, up to a bound", () => {
    const circuit = opened()
    let now = 1_000
    for (const wait of [2_000, 3_000, 3_000]) {
      expect(circuit.enter(now)).toBe("probe")
      circuit.recordFailure("probe", now)
      expect(circuit.enter(now + wait - 1)).toBeUndefined()
      now += wait
    }
    expect(circuit.enter(now)).toBe("probe")
    circuit.recordSuccess("probe", now)
    calls(circuit, "xxxx", now)
    expect(circuit.enter(now + 1_000)).toBe("probe")
  })

  it("lets another probe through when one was given up", () => {
    const circuit = opened()
    expect(circuit.enter(1_000)).toBe("probe")
    circuit.recordCancel("probe")
    expect(circuit.enter(1_001)).toBe("probe")
  })

  it("is not moved by calls that were under way when it opened", () => {
    const circuit = new CircuitBreaker(rules)
    const late = circuit.enter(0)
    calls(circuit, "xxxx", 0)
    if (late === undefined) throw new Error("it is open")
    circuit.recordSuccess(late, 500)
    expect(circuit.enter(500)).toBeUndefined()
    circuit.recordFailure(late, 900)
    expect(circuit.enter(1_000)).toBe("probe")
  })
})
