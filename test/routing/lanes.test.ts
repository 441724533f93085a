import { describe, expect, it } from "@effect/vitest"
import { Effect, TestClock } from "effect"
import type { Rest } from "../../src/generation/Rest.ts"
import type { Lane, Requester } from "../../src/routing/Lane.ts"
import { RetryAfter } from "../../src/routing/RetryAfter.ts"
import type { Route } from "../../src/routing/Route.ts"
import type { UpstreamError } from "../../src/upstreams/UpstreamError.ts"
import { refused, requester, tooMany } from "./generations.ts"

const route = { upstream: "up", model: "m" }
const [a, b, c] = ["a", "b", "c"].map((name) => (lane?: Parameters<typeof requester>[1]) => requester(name, lane)) as [
  (lane?: Parameters<typeof requester>[1]) => Requester,
  (lane?: Parameters<typeof requester>[1]) => Requester,
  (lane?: Parameters<typeof requester>[1]) => Requester
]

/** The routes' memory, with what it answers. */
const memory = Effect.map(Effect.clock, (clock) => {
  const coolDowns = new RetryAfter(clock)
  return {
    coolDowns,
    /** True if the route is not asked for this request. */
    rests: (who: Requester, at: Route = route) => coolDowns.order([at], who).skipped.length === 1,
    met: (who: Requester, error: UpstreamError, at: Route = route) => coolDowns.recordFailure(at, who, error),
    answered: (who: Requester, at: Route = route) => coolDowns.begin(at, who)?.answered()
  }
})

describe("a lane that an upstream refuses", () => {
  it.effect("rests for the account that met it, and for others once a second one did", () =>
    Effect.gen(function* () {
      const { met, rests } = yield* memory
      met(a(), tooMany(60))
      expect([rests(a()), rests(b()), rests(c())]).toEqual([true, false, false])
      met(a(), tooMany(60))
      expect(rests(b())).toBe(false)
      met(b(), tooMany(60))
      expect([rests(a()), rests(b()), rests(c())]).toEqual([true, true, true])
      yield* TestClock.adjust("60 seconds")
      expect([rests(a()), rests(b()), rests(c())]).toEqual([false, false, false])
    })
  )

  it.effect("stays open for smaller requests, and for others below what was refused to two", () =>
    Effect.gen(function* () {
      const { met, rests } = yield* memory
      met(a({ tokens: 1_000 }), tooMany(60))
      expect([rests(a({ tokens: 999 })), rests(a({ tokens: 1_000 }))]).toEqual([false, true])
      met(b({ tokens: 50_000 }), tooMany(60))
      expect([rests(c({ tokens: 49_999 })), rests(c({ tokens: 50_000 }))]).toEqual([false, true])
      met(c({ tokens: 2_000 }), tooMany(60))
      expect([rests(requester("d", { tokens: 1_999 })), rests(requester("d", { tokens: 2_000 }))]).toEqual([
        false,
        true
      ])
    })
  )

  it.effect("rests for all at once where the upstream says that all are meant, whatever the size", () =>
    Effect.gen(function* () {
      const { met, rests } = yield* memory
      met(a({ tokens: 9_000 }), tooMany(60, { part: "lane", isOfAll: true }))
      expect([rests(a()), rests(b()), rests(b({ isFast: true }))]).toEqual([true, true, false])
    })
  )

  it.effect("is not confirmed by an account whose own answer came in between", () =>
    Effect.gen(function* () {
      const { answered, met, rests } = yield* memory
      met(a(), tooMany(60))
      answered(b())
      met(b(), tooMany(60))
      expect([rests(a()), rests(b()), rests(c())]).toEqual([true, true, false])
    })
  )

  it.effect("is confirmed by no smaller answer", () =>
    Effect.gen(function* () {
      const { answered, met, rests } = yield* memory
      met(a({ tokens: 9_000 }), tooMany(60))
      answered(b({ tokens: 10 }))
      met(b({ tokens: 9_000 }), tooMany(60))
      expect([rests(c({ tokens: 9_000 })), rests(c({ tokens: 10 }))]).toEqual([true, false])
    })
  )

  it.effect("is forgotten by an answer that was begun before it was refused, no more than by none", () =>
    Effect.gen(function* () {
      const { coolDowns, met, rests } = yield* memory
      met(a(), tooMany(1))
      yield* TestClock.adjust("2 seconds")
      const probe = coolDowns.begin(route, a())
      met(a(), tooMany(60))
      probe?.answered()
      expect(rests(a())).toBe(true)
    })
  )

  const all: Rest = { part: "lane", isOfAll: true }
  const lanes: ReadonlyArray<Partial<Lane>> = [
    {},
    { tier: "flex" },
    { tier: "ultrafast" },
    { tier: "priority" },
    { isFast: true },
    { isLong: true },
    { makesImages: true },
    { searches: true },
    { tier: "flex", searches: true }
  ]

  it.effect("is no other lane: each rests by itself", () =>
    Effect.gen(function* () {
      for (const lane of lanes) {
        const { met, rests } = yield* memory
        met(a(lane), tooMany(60, all))
        expect(lanes.filter((one) => rests(b(one)))).toEqual([lane])
      }
    })
  )

  it.effect.each([
    [
      "the standard and the priority tier, which share limits",
      { part: "shared", isOfAll: true },
      {},
      [{}, { tier: "priority" }]
    ],
    [
      "the standard tier by a priority request",
      { part: "shared", isOfAll: true },
      { tier: "priority" },
      [{}, { tier: "priority" }]
    ],
    [
      "its tier",
      { part: "tier", isOfAll: true },
      { tier: "flex" },
      [{ tier: "flex" }, { tier: "flex", searches: true }]
    ],
    ["flex", { part: "flex", isOfAll: true }, { tier: "flex" }, [{ tier: "flex" }, { tier: "flex", searches: true }]],
    [
      "search",
      { part: "search", isOfAll: true },
      { searches: true },
      [{ searches: true }, { tier: "flex", searches: true }]
    ],
    ["the whole model", { part: "model", isOfAll: true }, {}, lanes],
    [
      "of a model, what is fast, if that was asked",
      { part: "model", isOfAll: true },
      { isFast: true },
      [{ isFast: true }]
    ],
    ["of models that share limits, what is fast, if that was asked", { part: "group" }, { isFast: true }, []],
    ["nothing for others by a kind that the request was not", { part: "flex", isOfAll: true }, {}, []],
    ["nothing for others by length that is not known", { part: "long", isOfAll: true, forMs: 600_000 }, {}, []]
  ] as const)("may be %s", ([, rest, lane, resting]) =>
    Effect.gen(function* () {
      const { met, rests } = yield* memory
      met(a(lane), tooMany(60, rest))
      expect(lanes.filter((one) => rests(b(one)))).toEqual(resting)
      expect(rests(a(lane))).toBe(true)
    })
  )

  it.effect("may be that of models that share their limits, or of a key with every model", () =>
    Effect.gen(function* () {
      const { met, rests } = yield* memory
      const at = (model: string, key = "one") => ({ upstream: "up", model, key })
      met(a(), tooMany(60, { part: "group", isOfAll: true }), at("claude-opus-4-5"))
      const models = ["claude-opus-4-1@20250805", "claude-opus-4-5", "claude-opus-5", "claude-sonnet-4-5"]
      expect(models.map((model) => rests(b(), at(model)))).toEqual([true, true, false, false])
      expect(rests(b(), at("claude-opus-4-5", "two"))).toBe(false)
      met(a(), tooMany(60, { part: "key", isOfAll: true }), at("m"))
      expect([rests(b(), at("n")), rests(b(), at("n", "two"))]).toEqual([true, false])
    })
  )

  it.effect("is clear again after an answer in it, and no other", () =>
    Effect.gen(function* () {
      const { answered, met, rests } = yield* memory
      met(a(), tooMany(10, all))
      met(a({ isFast: true }), tooMany(60, all))
      yield* TestClock.adjust("10 seconds")
      answered(b())
      expect([rests(b()), rests(b({ isFast: true }))]).toEqual([false, true])
    })
  )

  it.effect("rests for as long as it was told, ten minutes at most, or to the end of a quota's day", () =>
    Effect.gen(function* () {
      const { met, rests } = yield* memory
      met(a(), tooMany(7_200))
      met(b({ isLong: true }), refused({ rests: { part: "lane", forMs: 7_200_000 }, retryAfterMs: 7_200_000 }))
      yield* TestClock.adjust("599 seconds")
      expect([rests(a()), rests(b({ isLong: true }))]).toEqual([true, true])
      yield* TestClock.adjust("1 second")
      expect([rests(a()), rests(b({ isLong: true }))]).toEqual([false, true])
      yield* TestClock.adjust("6599 seconds")
      expect(rests(b({ isLong: true }))).toBe(true)
      yield* TestClock.adjust("1 second")
      expect(rests(b({ isLong: true }))).toBe(false)
    })
  )

  it.effect("with a deadline is asked once in half a minute, where a second route can answer", () =>
    Effect.gen(function* () {
      const { coolDowns, met } = yield* memory
      const other = { upstream: "other", model: "m" }
      const keys = [
        { upstream: "pool", model: "m", key: "one" },
        { upstream: "pool", model: "m", key: "two" }
      ] as const
      met(a(), tooMany(600, all))
      met(a(), tooMany(600, all), keys[0])
      const asked: Array<number> = []
      for (let second = 0; second < 100; second++) {
        const [first] = coolDowns.order([route, other], b()).ask
        if (first === route) asked.push(second)
        if (first !== undefined) coolDowns.begin(first, b())?.left()
        expect(coolDowns.order([route], b()).ask).toEqual([])
        // Another key is no other route.
        expect(coolDowns.order(keys, b()).ask).toEqual([keys[1]])
        yield* TestClock.adjust("1 second")
      }
      expect(asked).toEqual([30, 60, 90])
    })
  )

  it.effect("is forgotten ten minutes after its end, and what callers name is bounded", () =>
    Effect.gen(function* () {
      const { coolDowns, met, rests } = yield* memory
      const names = (index: number) => ({ upstream: "up", model: `${"m".repeat(5_000)}${index}` })
      for (let index = 0; index < 30_000; index++) met(a({ tokens: index }), tooMany(60), names(index))
      expect([rests(a({ tokens: 0 }), names(0)), rests(a({ tokens: 29_999 }), names(29_999))]).toEqual([false, true])
      expect(rests(a({ tokens: 29_999 }), names(29_998))).toBe(true)
      yield* TestClock.adjust("661 seconds")
      const never: Requester = { ...a(), laneAt: () => expect.unreachable() }
      expect(coolDowns.order([names(29_999)], never).ask).toHaveLength(1)
    })
  )
})
