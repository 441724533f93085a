import { describe, expect, it } from "@effect/vitest"
import { arrangeRoutes, withKeys } from "../../src/routing/arrangeRoutes.ts"
import type { WeightedRoute } from "../../src/routing/arrangeRoutes.ts"
import { RouteTimes } from "../../src/routing/RouteTimes.ts"

const route = (upstream: string, weight?: number): WeightedRoute => ({
  upstream,
  model: "m",
  ...(weight === undefined ? {} : { weight })
})

const firstOf = (routes: ReadonlyArray<WeightedRoute>, key: string) =>
  arrangeRoutes(routes, () => key)[0]?.upstream ?? ""

const many = Array.from({ length: 10_000 }, (_, index) => `conversation ${index}`)

describe("routes with weights", () => {
  it("share 10,000 conversations within 2 % of their weights", () => {
    const routes = [route("a", 5), route("b", 3), route("c", 2), route("d")]
    const counts = new Map<string, number>()
    for (const key of many) counts.set(firstOf(routes, key), (counts.get(firstOf(routes, key)) ?? 0) + 1)
    for (const [name, share] of [
      ["a", 0.5],
      ["b", 0.3],
      ["c", 0.2]
    ] as const) {
      expect(Math.abs((counts.get(name) ?? 0) / many.length - share)).toBeLessThan(0.02)
    }
    expect(counts.has("d")).toBe(false)
  })

  it("share them among the keys of an upstream by the keys' weights", () => {
    const keys = [5, 3, 2].map((weight) => ({ key: `key ${weight}`, weight, upstream: undefined }))
    const counts = new Map<string, number>()
    for (const name of many) {
      const [first] = withKeys(
        [route("a"), route("b")],
        ({ upstream }) => (upstream === "a" ? keys : undefined),
        { name },
        (one, { key }) => ({ ...one, key })
      )
      const key = first?.key ?? ""
      counts.set(key, (counts.get(key) ?? 0) + 1)
    }
    for (const { key, weight } of keys) {
      expect(Math.abs((counts.get(key) ?? 0) / many.length - weight / 10)).toBeLessThan(0.02)
    }
  })

  it("keep a conversation, however they are written; only those of a route that goes move", () => {
    const [a, b, c] = [route("a", 1), route("b", 1), route("c", 1)]
    for (const key of many.slice(0, 1_000)) {
      const first = firstOf([a, b, c], key)
      expect(firstOf([c, a, b], key)).toBe(first)
      if (first !== "c") expect(firstOf([a, b], key)).toBe(first)
    }
  })

  it("come before the others, which keep their order; without a choice nothing is hashed", () => {
    const never = () => expect.unreachable("no key is needed")
    expect(arrangeRoutes([route("x"), route("a", 1), route("y")], never).map(({ upstream }) => upstream)).toEqual([
      "a",
      "x",
      "y"
    ])
    const plain = [route("x"), route("y")]
    expect(arrangeRoutes(plain, never)).toBe(plain)
  })
})

describe("the fastest route", () => {
  const [a, b] = [route("a"), route("b")]
  const order = (times: RouteTimes, nowMs: number) => times.fastestFirst([a, b], nowMs).map(({ upstream }) => upstream)

  it("is that of the smallest median in the last five minutes; one without an answer is tried first", () => {
    const times = new RouteTimes()
    expect(order(times, 0)).toEqual(["a", "b"])
    times.answered(a, 100, 0)
    expect(order(times, 1)).toEqual(["b", "a"])
    for (const ms of [50, 900, 60]) times.answered(b, ms, 1)
    expect(order(times, 2)).toEqual(["b", "a"])
    for (const ms of [10, 20]) times.answered(a, ms, 2)
    expect(order(times, 3)).toEqual(["a", "b"])
    times.answered(b, 60, 299_000)
    expect(order(times, 300_002)).toEqual(["a", "b"])
    times.answered(a, 70, 300_003)
    expect(order(times, 300_004)).toEqual(["b", "a"])
  })
})
