import { describe, expect, it } from "vitest"
import { makePlaces } from "../../../src/ledger/budgets/windows.ts"
import type { Budget } from "../../../src/contract/budgets/Budget.ts"

const of = (window: Budget["window"], at: string) => {
  const { endsAt, since, step } = makePlaces(window)(Date.parse(at))
  return [step, since, endsAt].map((ms) => new Date(ms).toISOString().replace(":00.000Z", ""))
}
const calendar = (per: "day" | "week" | "month", zone: string, at: string) => {
  const [step, since, endsAt] = of({ per, zone }, at)
  expect(since).toBe(step)
  return `${step} ${endsAt}`
}

describe("a calendar window", () => {
  it.each([
    ["day", "UTC", "2026-01-31T23:59:59.999Z", "2026-01-31T00:00 2026-02-01T00:00"],
    ["day", "UTC", "2026-02-01T00:00:00Z", "2026-02-01T00:00 2026-02-02T00:00"],
    // Daylight saving begins and ends: days of 23 and 25 hours.
    ["day", "Europe/Berlin", "2026-03-29T12:00:00Z", "2026-03-28T23:00 2026-03-29T22:00"],
    ["day", "Europe/Berlin", "2026-10-25T12:00:00Z", "2026-10-24T22:00 2026-10-25T23:00"],
    // Clocks are put forward at midnight: the day begins at one.
    ["day", "Africa/Cairo", "2026-04-24T12:00:00Z", "2026-04-23T22:00 2026-04-24T21:00"],
    // Not a whole hour from UTC.
    ["day", "Asia/Kathmandu", "2026-01-31T18:14:59Z", "2026-01-30T18:15 2026-01-31T18:15"],
    ["day", "Asia/Kathmandu", "2026-01-31T18:15:00Z", "2026-01-31T18:15 2026-02-01T18:15"],
    ["week", "UTC", "2026-03-01T12:00:00Z", "2026-02-23T00:00 2026-03-02T00:00"],
    ["week", "UTC", "2026-03-02T00:00:00Z", "2026-03-02T00:00 2026-03-09T00:00"],
    ["week", "America/New_York", "2026-03-09T03:59:00Z", "2026-03-02T05:00 2026-03-09T04:00"],
    ["month", "UTC", "2026-02-28T23:59:59Z", "2026-02-01T00:00 2026-03-01T00:00"],
    ["month", "UTC", "2028-02-29T12:00:00Z", "2028-02-01T00:00 2028-03-01T00:00"],
    ["month", "Pacific/Auckland", "2026-12-31T11:00:00Z", "2026-12-31T11:00 2027-01-31T11:00"],
    ["month", "America/Los_Angeles", "2026-03-31T23:00:00Z", "2026-03-01T08:00 2026-04-01T07:00"]
  ] as const)("of a %s in %s at %s is %s", (per, zone, at, window) => {
    expect(calendar(per, zone, at)).toBe(window)
  })

  it("is found again when the clock goes back", () => {
    const placeOf = makePlaces({ per: "day", zone: "UTC" })
    const first = placeOf(Date.UTC(2026, 0, 1, 12))
    expect(placeOf(Date.UTC(2026, 0, 2, 12)).step).toBe(Date.UTC(2026, 0, 2))
    expect(placeOf(Date.UTC(2026, 0, 1, 13))).toEqual(first)
  })
})

describe("a rolling window", () => {
  const hour = 3_600_000
  const placeOf = makePlaces({ rollingMs: 24 * hour })

  it("has 24 steps beside the current one, the oldest whole", () => {
    const now = Date.UTC(2026, 0, 10, 5, 30)
    expect(placeOf(now)).toEqual({
      step: Date.UTC(2026, 0, 10, 5),
      since: Date.UTC(2026, 0, 9, 5),
      endsAt: Date.UTC(2026, 0, 11, 6),
      next: Date.UTC(2026, 0, 10, 6)
    })
  })

  it("counts a step until no moment of it is within the length", () => {
    const used = Date.UTC(2026, 0, 10, 5, 30)
    const { endsAt, step } = placeOf(used)
    for (let now = used; now < used + 26 * hour; now += 10 * 60_000) {
      const isCounted = step >= placeOf(now).since
      expect(isCounted).toBe(now < endsAt)
      if (now - used < 24 * hour) expect(isCounted).toBe(true)
    }
  })
})

it("a total is one window without an end", () => {
  const placeOf = makePlaces({ per: "total" })
  expect(placeOf(0)).toEqual(placeOf(Date.UTC(2099, 0, 1)))
  expect(placeOf(0).endsAt).toBe(Number.MAX_SAFE_INTEGER)
})
