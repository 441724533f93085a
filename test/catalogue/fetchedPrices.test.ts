import { SqlClient } from "@effect/sql"
import { afterAll, afterEach, expect, it } from "@effect/vitest"
import { Effect, Either, Fiber, Layer, TestClock } from "effect"
import { isDue } from "../../src/catalogue/prices/fetched/PriceRefreshLive.ts"
import { PriceRefresh } from "../../src/catalogue/prices/fetched/PriceRefresh.ts"
import { UsedPrices } from "../../src/catalogue/prices/fetched/UsedPrices.ts"
import { PriceLists } from "../../src/catalogue/store/PriceLists.ts"
import { costOf } from "../../src/ledger/cost.ts"
import { noUsage } from "../../src/generation/GenerationEvent.ts"
import { database, describeOnEach } from "../sql/engines.ts"

let answer: (url: URL) => Response = () => new Response("not set")
const server = Bun.serve({ port: 0, fetch: (request) => answer(new URL(request.url)) })
afterAll(() => server.stop(true))
afterEach(() => {
  answer = () => new Response("not set")
})
const place = { from: `http://127.0.0.1:${server.port}/list.json`, proxy: undefined }
const answers = (list: unknown) => {
  answer = () => new Response(typeof list === "string" ? list : JSON.stringify(list))
}

const litellm = (provider: string, input: unknown, output: unknown, more: object = {}) => ({
  litellm_provider: provider,
  mode: "chat",
  input_cost_per_token: input,
  output_cost_per_token: output,
  ...more
})

const used = (name: string) =>
  Effect.map(
    Effect.flatMap(UsedPrices, ({ load }) => load),
    (list) => list?.find(name)
  )
const input = (tokens: number) => ({ ...noUsage, inputTokens: tokens })

type Services = PriceRefresh | PriceLists | UsedPrices | SqlClient.SqlClient

describeOnEach("a fetched list of prices", () => {
  const services = Layer.mergeAll(PriceRefresh.Default, PriceLists.Default, UsedPrices.Default).pipe(
    Layer.provideMerge(database())
  )
  const live = <A, E>(name: string, test: Effect.Effect<A, E, Services>) =>
    it.scoped(name, () => Effect.provide(test, services))
  const refresh = (accepts = false) => Effect.flatMap(PriceRefresh, (prices) => prices.refresh(place, accepts))

  live(
    "leaves out a row with more lengths of input than any model has, and keeps the others",
    Effect.gen(function* () {
      const above = (lengths: number) =>
        Object.fromEntries(
          Array.from({ length: lengths }, (_, index) => [`input_cost_per_token_above_${index + 1}k_tokens`, 4e-6])
        )
      answers({
        "made-up-1": litellm("openai", 2e-6, 8e-6, above(16)),
        "made-up-2": litellm("openai", 2e-6, 8e-6, above(17)),
        "made-up-3": litellm("openai", 2e-6, 8e-6, above(9_999)),
        "made-up-4": litellm("openai", 2e-6, 8e-6)
      })
      expect(yield* refresh()).toMatchObject({ prices: 4 })
      expect((yield* used("openai/made-up-1"))?.tiers).toHaveLength(16)
      expect(yield* used("openai/made-up-2")).toBeUndefined()
      expect(yield* used("openai/made-up-3")).toBeUndefined()
      expect(yield* used("openai/made-up-4")).toBeDefined()
    })
  )

  live(
    "of thousands of rows is read, stored and read again in turns of the event loop",
    Effect.gen(function* () {
      const rows = Array.from({ length: 3_000 }, (_, index) => index)
      const meanwhile = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
        Effect.gen(function* () {
          let turns = 0
          const ticking = setInterval(() => turns++, 0)
          yield* effect
          clearInterval(ticking)
          return turns
        })
      answers(Object.fromEntries(rows.map((row) => [`model-${row}`, litellm("openai", 2e-6, 8e-6)])))
      expect(yield* meanwhile(refresh())).toBeGreaterThan(3)
      expect(yield* meanwhile(used("model-2999"))).toBeGreaterThan(3)
      expect(yield* used("openai/model-2999")).toBeDefined()
      answers(Object.fromEntries(rows.map((row) => [`model-${row}`, { input: 2, output: 8 }])))
      expect(yield* meanwhile(refresh(true))).toBeGreaterThan(3)
    })
  )

  live(
    "is read in LiteLLM's form: by provider and by model, with tiers, without what is no price",
    Effect.gen(function* () {
      answers({
        sample_spec: { litellm_provider: "one of", mode: "one of", input_cost_per_token: 0 },
        "made-up-1": litellm("openai", 2e-6, 8e-6, {
          cache_read_input_token_cost: 5e-7,
          input_cost_per_token_above_200k_tokens: 4e-6,
          input_cost_per_token_batches: 1e-6
        }),
        "xai/made-up-2": litellm("xai", 1e-6, 2e-6),
        "dashscope/made-up-3": {
          litellm_provider: "dashscope",
          mode: "chat",
          tiered_pricing: [
            { range: [0, 32000], input_cost_per_token: 1e-6, output_cost_per_token: 2e-6 },
            { range: [32000, 64000], input_cost_per_token: 3e-6, output_cost_per_token: 6e-6 }
          ]
        },
        "groq/made-up-4": litellm("groq", 3e-6, 3e-6),
        free: litellm("openai", 0, 0),
        negative: litellm("openai", -1e-6, 1e-6),
        text: litellm("openai", "NaN", 1e-6),
        huge: litellm("openai", 1e300, 1e300),
        film: litellm("openai", 1e-6, 1e-6, { mode: "video_generation" }),
        elsewhere: litellm("unheard-of", 1e-6, 1e-6),
        constructor: "x"
      })
      const told = yield* refresh()
      expect(told).toMatchObject({ source: place.from, prices: 7, changed: 7, moved: [] })
      const first = yield* used("openai/made-up-1")
      expect(first).toEqual(yield* used("made-up-1"))
      if (first === undefined) return
      expect(costOf(first, input(100_000))).toBe(200_000_000)
      expect(costOf(first, input(300_000))).toBe(1_200_000_000)
      expect(costOf(first, { ...noUsage, cacheReadTokens: 100_000 })).toBe(50_000_000)
      expect((yield* used("x-ai/made-up-2"))?.rates.output).toBe(2e9)
      expect((yield* used("made-up-2"))?.rates.output).toBe(2e9)
      expect((yield* used("dashscope/made-up-3"))?.tiers).toMatchObject([{ above: 32_000, rates: { input: 3e9 } }])
      expect(yield* used("groq/made-up-4")).toBeDefined()
      for (const name of ["made-up-4", "free", "negative", "text", "huge", "film", "elsewhere", "constructor"]) {
        expect([name, yield* used(name)]).toEqual([name, undefined])
      }
    })
  )

  live(
    "is read in the form of a prices_file, and its prototype is nobody's",
    Effect.gen(function* () {
      answers('{"__proto__": {"input": 7}, "house": {"input": 1, "output": 2}, "groq/house": {"output": 3}}')
      expect((yield* refresh()).prices).toBe(2)
      expect((yield* used("house"))?.rates).toMatchObject({ input: 1e9, output: 2e9 })
      expect((yield* used("groq/house"))?.rates.output).toBe(3e9)
      for (const name of ["input", "__proto__", "toString"]) expect(yield* used(name)).toBeUndefined()
    })
  )

  live(
    "that is hostile or broken changes nothing, and says why",
    Effect.gen(function* () {
      answers({ house: { input: 1, output: 2 } })
      yield* refresh()
      const kept = yield* used("house")
      const long = "x".repeat(1024 * 1024)
      const endless = () =>
        new Response(
          new ReadableStream({
            pull: (controller) => controller.enqueue(new TextEncoder().encode(long))
          })
        )
      const wrong: ReadonlyArray<readonly [() => Response, string]> = [
        [endless, "more than 16 MiB"],
        [() => new Response("[".repeat(100_000)), "more than 16 levels"],
        [() => new Response(`{"a":${"[".repeat(100_000)}`), "more than 16 levels"],
        [() => new Response(`{${'"a":1,'.repeat(20_001)}"b":1}`), "keys in one object"],
        [() => new Response("{"), "not a JSON object"],
        [() => new Response("[]"), "not a JSON object"],
        [() => new Response("{}"), "it has no prices"],
        [() => new Response('{"house":{"input":NaN}}'), "not a JSON object"],
        [() => new Response('{"house":{"input":-1}}'), "house: input: expected"],
        [() => new Response('{"house":{"input":1e300}}'), "at most 100000 USD"],
        [() => new Response('{"house":{"per_second":{"720p":1e9}}}'), "at most 100000 USD"],
        [() => new Response('{"house":{"inptu":1}}'), "house: inptu: is not a known field"],
        [() => Response.redirect("http://169.254.169.254/latest"), "redirect (302), which is not followed"],
        [() => new Response("", { status: 500 }), "status 500"]
      ]
      for (const [make, reason] of wrong) {
        answer = make
        const told = yield* Effect.either(refresh())
        expect(Either.isLeft(told) ? told.left.message : told).toContain(reason)
        expect((yield* Effect.flatMap(PriceLists, ({ head }) => head))?.failure).toContain(reason)
        expect(yield* used("house")).toEqual(kept)
      }
      answers({ house: { input: 1, output: 2 } })
      yield* refresh()
      expect((yield* Effect.flatMap(PriceLists, ({ head }) => head))?.failure).toBeNull()
    })
  )

  live(
    "that comes too slowly is given up, whatever it sends meanwhile",
    Effect.gen(function* () {
      let asked: () => void = () => undefined
      const arrived = new Promise<void>((resolve) => (asked = resolve))
      answer = () => {
        asked()
        return new Response(new ReadableStream({ pull: () => new Promise<void>(() => undefined) }))
      }
      const fiber = yield* Effect.fork(Effect.either(refresh()))
      yield* Effect.promise(() => arrived)
      yield* TestClock.adjust("61 seconds")
      const told = yield* Fiber.join(fiber)
      expect(Either.isLeft(told) ? told.left.message : told).toContain("did not arrive within 60 seconds")
    })
  )

  live(
    "does not move a price more than tenfold unless that is accepted: up, down, by a tier, and against the built-in list",
    Effect.gen(function* () {
      const before = { up: { input: 1, output: 2 }, down: { input: 1, output: 2 }, tier: { input: 1, output: 2 } }
      answers({ ...before, "gpt-5": { input: 1, output: 9 } })
      expect((yield* refresh()).moved).toEqual([])
      const offered = { up: { input: 1, output: 21 }, down: { input: 0.09, output: 2 }, tier: { input: 1, output: 20 } }
      answers({ ...offered, "gpt-5-nano": { input: 50, output: 400 } })
      const told = yield* refresh()
      expect(told.moved.map(({ name }) => name).sort()).toEqual(["down", "gpt-5-nano", "up"])
      expect((yield* used("up"))?.rates.output).toBe(2e9)
      expect((yield* used("down"))?.rates.input).toBe(1e9)
      expect((yield* used("tier"))?.rates.output).toBe(20e9)
      // The built-in list's price counts.
      expect(yield* used("gpt-5-nano")).toBeUndefined()
      const list = yield* Effect.flatMap(UsedPrices, ({ load }) => load)
      expect(["up", "tier", "gpt-5-nano"].map((name) => list?.isHeld(name))).toEqual([true, false, true])
      yield* refresh()
      expect((yield* used("up"))?.rates.output).toBe(2e9)
      yield* refresh(true)
      expect((yield* used("up"))?.rates.output).toBe(21e9)
      expect((yield* used("gpt-5-nano"))?.rates.output).toBe(400e9)
      expect((yield* refresh()).moved).toEqual([])
      expect((yield* used("gpt-5-nano"))?.rates.output).toBe(400e9)
    })
  )

  live(
    "does not lose more than half of its prices",
    Effect.gen(function* () {
      answers(Object.fromEntries(Array.from({ length: 10 }, (_, at) => [`m${at}`, { input: 1 }])))
      yield* refresh()
      answers({ m0: { input: 1 } })
      const told = yield* Effect.either(refresh())
      expect(Either.isLeft(told) ? told.left.message : told).toBe("it has 1 prices, the list before it 10")
      expect((yield* refresh(true)).prices).toBe(1)
    })
  )

  live(
    "has the models loaded once for each change, whether or not they read it, and again if that fails",
    Effect.gen(function* () {
      const { follow } = yield* UsedPrices
      const { remove } = yield* PriceLists
      let loads = 0
      const renew = Effect.sync(() => void loads++)
      yield* Effect.repeatN(follow(renew), 2)
      expect(loads).toBe(0)
      answers({ house: { input: 1 } })
      yield* refresh()
      yield* Effect.either(follow(Effect.fail("no")))
      yield* Effect.repeatN(follow(renew), 2)
      expect(loads).toBe(1)
      yield* remove
      yield* Effect.repeatN(follow(renew), 2)
      expect(loads).toBe(2)
      // Of another version.
      const sql = yield* SqlClient.SqlClient
      yield* refresh()
      yield* sql`UPDATE price_list SET document = '{}'`
      yield* Effect.repeatN(follow(renew), 2)
      expect(loads).toBe(2)
    })
  )

  live(
    "is fetched by one of two nodes when it is due, and by none again for a quarter of an hour after a failure",
    Effect.gen(function* () {
      const { claim, fail, head } = yield* PriceLists
      const hour = 3_600_000
      const nowMs = 100 * hour
      expect(isDue(yield* head, place.from, 24 * hour, nowMs)).toBe(true)
      const claims = yield* Effect.all(
        [1, 2, 3].map(() => claim(nowMs, nowMs - hour / 4)),
        { concurrency: 3 }
      )
      expect(claims.filter(Boolean)).toHaveLength(1)
      yield* fail(nowMs, "no")
      expect(yield* claim(nowMs + hour / 4 - 1, nowMs - 1)).toBe(false)
      expect(yield* claim(nowMs + hour / 4, nowMs)).toBe(true)
      answers({ house: { input: 1 } })
      const { fetchedAtMs } = yield* refresh()
      const stored = yield* head
      expect(isDue(stored, place.from, 24 * hour, fetchedAtMs + 24 * hour - 1)).toBe(false)
      expect(isDue(stored, place.from, 24 * hour, fetchedAtMs + 24 * hour)).toBe(true)
      expect(isDue(stored, "http://other.example/list", 24 * hour, fetchedAtMs)).toBe(true)
    })
  )
})
