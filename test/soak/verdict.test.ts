import { describe, expect, it } from "vitest"
import { bounds, Latencies, theilSen, verdict } from "./verdict.ts"
import type { Quiet, Run } from "./verdict.ts"

const times = (...ms: ReadonlyArray<number>) => {
  const latencies = new Latencies()
  for (const one of ms) latencies.add(one)
  return latencies
}

/** A run of an hour whose p99 and memory are what is said of each minute. */
const run = (
  p99: (minute: number) => number,
  megabytes: (minute: number) => number,
  more: Partial<Run> & { readonly direct?: (minute: number) => number } = {}
): Run => {
  const { direct = () => 1, ...rest } = more
  const minutes = Array.from({ length: 60 }, (_, minute) => minute)
  return {
    minutes: 60,
    slices: minutes.map((minute) => ({
      gateway: times(...Array.from({ length: 98 }, () => 1), p99(minute), p99(minute)),
      direct: times(...Array.from({ length: 100 }, () => direct(minute)))
    })),
    quiets: minutes.map((minute) => ({ hours: (minute + 1) / 60, megabytes: megabytes(minute) })),
    errors: 0,
    uncalled: 0,
    sentShare: 1,
    ...rest
  }
}

const flat = () => 5
/** As memory is: now this, now that, without a direction. */
const noisy = (minute: number) => 150 + ((minute * 7919) % 11)

describe("latencies", () => {
  it("tell a quantile within a hundredth", () => {
    const latencies = times(...Array.from({ length: 1_000 }, (_, n) => (n + 1) / 10))
    expect(Math.abs(latencies.quantile(0.99) / 99 - 1)).toBeLessThan(0.01)
    expect(Math.abs(latencies.quantile(0.5) / 50 - 1)).toBeLessThan(0.01)
  })
  it("merge into what all of them together are", () => {
    const merged = Latencies.merged([times(1, 2), times(3, 4)])
    expect(merged.count).toBe(4)
    expect(Math.abs(merged.quantile(1) / 4 - 1)).toBeLessThan(0.01)
  })
  it("have no quantile where there are none", () => {
    expect(new Latencies().quantile(0.99)).toBeNaN()
  })
})

describe("the slope of memory", () => {
  const points = (megabytes: (n: number) => number): ReadonlyArray<Quiet> =>
    Array.from({ length: 40 }, (_, n) => ({ hours: n / 60, megabytes: megabytes(n) }))
  it("is found through odd moments", () => {
    const slope = theilSen(points((n) => 100 + n / 10 + (n % 9 === 0 ? 60 : 0)))
    expect(slope.perHour).toBeCloseTo(6, 5)
    expect(slope.low).toBeLessThanOrEqual(6)
    expect(slope.high).toBeGreaterThanOrEqual(6)
  })
  it("is nothing where memory only wavers, and says how sure that is", () => {
    const slope = theilSen(points(noisy))
    expect(slope.low).toBeLessThan(0)
    expect(slope.high).toBeGreaterThan(0)
    expect(Math.abs(slope.perHour)).toBeLessThan(1)
  })
})

describe("the verdict", () => {
  it("passes a run that stays as it was", () => {
    expect(verdict(run(flat, noisy)).failures).toEqual([])
  })
  it("fails where the last ten minutes are slower than the second ten", () => {
    const { failures } = verdict(run((minute) => (minute >= 50 ? 5.8 : 5), noisy))
    expect(failures).toHaveLength(1)
    expect(failures[0]).toContain("p99")
  })
  it("says nothing against a slow start", () => {
    expect(verdict(run((minute) => (minute < 10 ? 50 : 5), noisy)).failures).toEqual([])
  })
  it("lets the machine be slower, by the square of how much its upstream alone was", () => {
    const last = (factor: number) => (minute: number) => (minute >= 50 ? factor : 1) * 5
    const direct = last(1.1)
    expect(verdict(run(last(1.3), noisy, { direct })).failures).toEqual([])
    expect(verdict(run(last(1.38), noisy, { direct })).failures).toHaveLength(1)
  })
  it("does not take an upstream whose answers wait for a slow machine", () => {
    const { slices, ...rest } = run((minute) => (minute >= 50 ? 5.8 : 5), noisy)
    const odd = slices.map(({ gateway }, minute) => ({
      gateway,
      direct: times(
        ...Array.from({ length: 40 }, () => 1),
        ...Array.from({ length: 60 }, () => (minute >= 50 ? 30 : 1))
      )
    }))
    expect(verdict({ ...rest, slices: odd }).failures).toHaveLength(1)
  })
  it("takes no machine's word for more than a quarter", () => {
    const last = (factor: number) => (minute: number) => (minute >= 50 ? factor : 1) * 5
    expect(verdict(run(last(1.5), noisy, { direct: last(7) })).failures).toHaveLength(1)
  })
  it("asks no more of a gateway on a machine that became faster", () => {
    expect(verdict(run(flat, noisy, { direct: (minute) => (minute >= 50 ? 0.6 : 1) })).failures).toEqual([])
  })
  it("of a short run looks past one stop of the machine", () => {
    const stopped = (minute: number) => (minute === 55 ? 1_000 : 5)
    expect(verdict({ ...run(stopped, noisy), minutes: 2, quiets: run(flat, () => 150).quiets }).failures).toEqual([])
  })
  it("of a short run fails where all of its end is slower", () => {
    const { quiets, ...rest } = run((minute) => (minute >= 50 ? 11 : 5), noisy)
    const shortly = quiets.map(({ hours, megabytes }) => ({ hours: hours / 30, megabytes }))
    expect(verdict({ ...rest, minutes: 2, quiets: shortly }).failures[0]).toContain("p99")
  })
  it("fails where memory grows by two megabytes an hour", () => {
    const { failures } = verdict(run(flat, (minute) => 150 + minute / 30))
    expect(failures).toHaveLength(1)
    expect(failures[0]).toContain("resident memory")
  })
  it("leaves the first quarter's growth out", () => {
    expect(verdict(run(flat, (minute) => (minute < 14 ? 100 + minute * 5 : 170))).failures).toEqual([])
  })
  it("fails for what it can't compare", () => {
    const nothing = run(flat, noisy, { quiets: [], slices: [] })
    expect(verdict(nothing).failures).toHaveLength(2)
  })
  it.each([{ errors: 1 }, { uncalled: 1 }, { sentShare: 0.9 }])("fails for %o", (more) => {
    expect(verdict(run(flat, noisy, more)).failures).toHaveLength(1)
  })
  it("is as strict as is said for an hour, and less for a shorter run", () => {
    expect(bounds(60)).toEqual({ p99: 1.1, machine: 1.25, perHour: 1 })
    expect(bounds(240)).toEqual(bounds(60))
    expect(bounds(2).p99).toBeCloseTo(1.97, 2)
    expect(bounds(2).machine).toBe(2)
    expect(bounds(2).perHour).toBe(900)
  })
})
