import { describe, expect, it } from "@effect/vitest"
import * as fc from "effect/FastCheck"
import { AccountId } from "../../src/contract/callers/Caller.ts"
import { UpstreamCircuitBreaker } from "../../src/routing/UpstreamCircuitBreaker.ts"
import type { Permit } from "../../src/routing/UpstreamCircuitBreaker.ts"

const rules = { windowMs: 6_000, leastCalls: 4, failureRate: 0.5, openMs: 1_000, openAtMostMs: 3_000 }
const [one, two, three] = [AccountId.make("one"), AccountId.make("two"), AccountId.make("three")]

const entered = (circuit: UpstreamCircuitBreaker, account: AccountId, now: number): Permit => {
  const permit = circuit.enter(account, now)
  if (permit === undefined) throw new Error("it is open")
  return permit
}

/** Calls of an account that fail (`x`), don't reach it (`-`) or succeed (`.`), one after the other at one time. */
const calls = (circuit: UpstreamCircuitBreaker, account: AccountId, outcomes: string, now: number) => {
  for (const outcome of outcomes) {
    const permit = entered(circuit, account, now)
    if (outcome === ".") circuit.recordSuccess(permit, now)
    else circuit.recordFailure(permit, now, outcome === "-")
  }
}
const open = (now = 0) => {
  const circuit = new UpstreamCircuitBreaker(rules)
  calls(circuit, one, "xx", now)
  calls(circuit, two, "xx", now)
  return circuit
}

describe("the circuit of an upstream", () => {
  it("opens for one account that fails alone", () => {
    const circuit = new UpstreamCircuitBreaker(rules)
    calls(circuit, one, "xxxx", 0)
    expect(circuit.enter(one, 0)).toBeUndefined()
    expect([circuit.waitMs(0, one), circuit.waitMs(0, two)]).toEqual([1_000, 0])
    calls(circuit, two, "....", 0)
    expect(circuit.isOpenForAll).toBe(false)
  })

  it("opens for every account when the calls of two failed", () => {
    const circuit = open()
    expect(circuit.isOpenForAll).toBe(true)
    expect(circuit.enter(three, 999)).toBeUndefined()
  })

  it("opens for every account when the upstream is unreachable, for any caller", () => {
    const circuit = new UpstreamCircuitBreaker(rules)
    calls(circuit, one, "----", 0)
    expect(circuit.enter(two, 0)).toBeUndefined()
    calls(circuit, one, "-", 1_000)
    expect(circuit.waitMs(1_000, two)).toBe(2_000)
  })

  it("stays closed where one account fails always and the others now and then", () => {
    const circuit = new UpstreamCircuitBreaker(rules)
    calls(circuit, two, "...x", 0)
    const late = Array.from({ length: 50 }, () => entered(circuit, one, 0))
    for (const permit of late) circuit.recordFailure(permit, 0, false)
    calls(circuit, three, "..x.", 0)
    expect(circuit.isOpenForAll).toBe(false)
  })

  it("counts what an account failed before its own circuit closed as its own", () => {
    const circuit = new UpstreamCircuitBreaker(rules)
    calls(circuit, one, "xxxx", 0)
    calls(circuit, one, ".xxxx", 1_000)
    calls(circuit, one, ".xxxx", 2_000)
    expect(circuit.isOpenForAll).toBe(false)
  })

  it("closes for all with one account's success, and is open for none then", () => {
    const circuit = open()
    calls(circuit, three, ".", 1_000)
    calls(circuit, three, "...", 1_000)
    calls(circuit, one, "x", 1_000)
    expect(circuit.isOpenForAll).toBe(false)
  })

  it("opens again for the account alone whose probe failed, and for all when another's failed too", () => {
    const circuit = open()
    calls(circuit, one, "x", 1_000)
    expect(circuit.enter(one, 1_000)).toBeUndefined()
    const probe = entered(circuit, three, 1_000)
    circuit.recordFailure(probe, 1_000, false)
    expect(circuit.waitMs(1_000, two)).toBe(2_000)
  })

  it("lets an account probe while another's probe hangs, and a third after a while", () => {
    const circuit = open()
    entered(circuit, one, 1_000)
    expect(circuit.enter(one, 1_000)).toBeUndefined()
    const probe = entered(circuit, two, 1_000)
    expect(circuit.enter(three, 1_000)).toBeUndefined()
    circuit.recordCancel(probe)
    entered(circuit, three, 1_000)
    expect(circuit.enter(two, 1_999)).toBeUndefined()
    calls(circuit, two, ".", 2_000)
    expect(circuit.isOpenForAll).toBe(false)
  })

  it("opens at the next failure where another process has found the upstream failing, unless a call succeeds before", () => {
    const circuit = new UpstreamCircuitBreaker(rules)
    circuit.hinted(0)
    calls(circuit, one, ".x", 0)
    expect(circuit.isOpenForAll).toBe(false)
    circuit.hinted(0)
    calls(circuit, one, "x", 1_000)
    expect(circuit.isOpenForAll).toBe(false)
    const wary = new UpstreamCircuitBreaker(rules)
    wary.hinted(0)
    calls(wary, one, "x", 999)
    expect(wary.enter(two, 999)).toBeUndefined()
  })

  it("tells each time it opens for all", () => {
    const heard: Array<number> = []
    const circuit = new UpstreamCircuitBreaker(rules, (forMs) => heard.push(forMs))
    calls(circuit, one, "xxxx", 0)
    expect(heard).toEqual([])
    calls(circuit, two, "-", 0)
    expect(heard).toEqual([1_000])
  })

  it("shows an operator that it is open where it is so for each account that calls", () => {
    const circuit = new UpstreamCircuitBreaker(rules)
    expect(circuit.state(0)).toBe("closed")
    calls(circuit, one, "xxxx", 0)
    expect([circuit.state(0), circuit.waitMs(0), circuit.openAccounts]).toEqual(["open", 1_000, 1])
    calls(circuit, two, ".", 0)
    expect([circuit.state(0), circuit.waitMs(0)]).toEqual(["closed", 0])
  })

  it("remembers so many accounts", () => {
    const circuit = new UpstreamCircuitBreaker(rules)
    for (let n = 0; n < 10_000; n++) calls(circuit, AccountId.make(`account-${n}`), ".", 0)
    calls(circuit, one, "xxxx", 0)
    expect([circuit.enter(one, 0), circuit.isOpenForAll]).toEqual([undefined, false])
    for (let n = 0; n < 2_048; n++) entered(circuit, AccountId.make(`other-${n}`), 0)
    expect(circuit.openAccounts).toBe(0)
  })

  it("lets every other account through whatever one account's calls come to", () => {
    const move = fc.record({
      afterMs: fc.nat(2_000),
      outcome: fc.constantFrom("succeeds", "fails", "breaks off", "hangs", "ends one that hangs")
    })
    fc.assert(
      fc.property(fc.array(move, { maxLength: 200 }), (moves) => {
        const circuit = new UpstreamCircuitBreaker(rules)
        const hanging: Array<Permit> = []
        let now = 0
        for (const { afterMs, outcome } of moves) {
          now += afterMs
          const permit = outcome === "ends one that hangs" ? hanging.shift() : circuit.enter(one, now)
          if (permit !== undefined) {
            if (outcome === "hangs") hanging.push(permit)
            else if (outcome === "succeeds" || outcome === "breaks off") circuit.recordSuccess(permit, now)
            else circuit.recordFailure(permit, now, false)
            if (outcome === "breaks off") circuit.brokeOff(permit, now)
          }
          const other = circuit.enter(two, now)
          expect(other?.isProbe).toBe(false)
          if (other !== undefined) circuit.recordSuccess(other, now)
        }
      })
    )
  })
})
