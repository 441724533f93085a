import { describe, expect, it } from "@effect/vitest"
import { Deferred, Effect } from "effect"
import { RateLimited } from "../../src/contract/failures/Failure.ts"
import type { Tool } from "../../src/generation/Conversation.ts"
import type { Generation } from "../../src/generation/Generation.ts"
import { withSearch } from "../../src/search/withSearch.ts"
import type { SearchProvider } from "../../src/search/SearchProvider.ts"
import { UpstreamError } from "../../src/upstreams/UpstreamError.ts"
import { generated } from "../upstreams/generated.ts"
import { calls, corpusProvider, says, scripted, stops, tool, used } from "./script.ts"
import { asking, options, run, searching } from "./searching.ts"

describe("what ends it early", () => {
  it.effect("without a provider it is left out, which is told", () =>
    Effect.gen(function* () {
      const model = scripted([says("Hi")])
      const other: Tool = { type: "function", name: "f", description: undefined, parameters: {}, strict: undefined }
      const asked = asking({ tools: [tool(), other] })
      const generation = yield* generated(withSearch(model.upstream, undefined), asked, options)
      expect(generation.adapted).toEqual(["tools.web_search"])
      expect(model.asked[0]?.tools).toEqual([other])
    })
  )

  it.effect.each([
    // It is the only tool.
    { type: "auto" },
    { type: "tool", name: "web_search" },
    { type: "required", names: undefined }
  ] as const)("without a provider it is refused where it must be called, and says so: %j", (toolChoice) =>
    Effect.gen(function* () {
      const asked = asking({ toolChoice })
      const error = yield* Effect.flip(generated(withSearch(scripted([]).upstream, undefined), asked, options))
      expect(error).toMatchObject({ _tag: "InvalidRequest", param: "tools" })
      expect(error).toHaveProperty("message", expect.stringContaining("no search provider is configured"))
    })
  )

  it.effect("an upstream that searches itself is left alone", () =>
    Effect.sync(() => {
      const upstream = { ...scripted([]).upstream, searches: true }
      expect(withSearch(upstream, undefined)).toBe(upstream)
    })
  )

  it.effect("a provider that fails is told to the model", () =>
    Effect.gen(function* () {
      const broken: SearchProvider = { name: "x", search: () => Effect.succeed({ type: "error", code: "unavailable" }) }
      const { items, usage: told } = yield* run(
        [searching, [...says("I can't"), used(1, 1), stops()]],
        asking(),
        broken
      )
      expect(items).toMatchObject([{ outcome: { code: "unavailable" } }, { text: "I can't" }])
      expect(told?.searches).toBe(0)
    })
  )

  it.effect.each([
    ["again", 31_000],
    ["elsewhere", undefined],
    ["never", undefined]
  ] as const)("a later turn that is refused for good fails the answer: %s", ([retry, retryAfterMs]) =>
    Effect.gen(function* () {
      const failure = new RateLimited({ retryAfterSeconds: 1 })
      const refused = new UpstreamError({ failure, retry, retryAfterMs, status: 429 })
      const { ending } = yield* run([searching, () => Effect.fail(refused)])
      expect(ending).toMatchObject({ failed: "RateLimited" })
    })
  )

  it.effect("a turn that was cut makes no search of what it could not finish asking", () =>
    Effect.gen(function* () {
      const { ending, queries } = yield* run([
        [...calls("web_search", "a", { query: "Paris" }), used(1, 1), stops("max-tokens")]
      ])
      expect(queries).toEqual([])
      expect(ending).toMatchObject({ reason: "max-tokens" })
    })
  )

  it.effect("the bound on output is for all turns together", () =>
    Effect.gen(function* () {
      const { model } = yield* run([searching, [...says("Hi"), stops()]], asking({ maxOutputTokens: 20 }))
      expect(model.asked.map(({ maxOutputTokens }) => maxOutputTokens)).toEqual([20, 15])
      const { ending } = yield* run([searching], asking({ maxOutputTokens: 5 }))
      expect(ending).toMatchObject({ reason: "max-tokens" })
    })
  )

  it.effect("an upstream that tells no usage of several turns has them counted", () =>
    Effect.gen(function* () {
      const { usage: told } = yield* run([
        [...calls("web_search", "a", { query: "Paris" }), stops("tool-calls")],
        [...says("Done"), stops()]
      ])
      expect(told?.inputTokens).toBeGreaterThan(50)
      expect(told?.outputTokens).toBeGreaterThan(5)
      const { usage: untold } = yield* run([[...says("Done"), stops()]])
      expect(untold).toBeUndefined()
    })
  )
})

describe("a hang-up", () => {
  const begin = (model: ReturnType<typeof scripted>, provider: SearchProvider) =>
    generated(withSearch(model.upstream, provider), asking(), options)

  const upTo = async (generation: Generation, type: string) => {
    for (;;) {
      const batch = await generation.next()
      if (batch === undefined || batch.some((event) => event.type === type)) return
    }
  }

  it.effect("in a turn cancels the turn", () =>
    Effect.gen(function* () {
      const model = scripted([[...says("Let me see"), ...searching]])
      const generation = yield* begin(model, corpusProvider().provider)
      yield* Effect.promise(() => upTo(generation, "text-delta"))
      generation.cancel("hang-up")
      expect(model.ended).toEqual(["hang-up"])
      expect(yield* Effect.promise(async () => generation.next())).toBeUndefined()
    })
  )

  it.live("in a search interrupts it", () =>
    Effect.gen(function* () {
      const interrupted = yield* Deferred.make<void>()
      const slow: SearchProvider = {
        name: "slow",
        search: () => Effect.onInterrupt(Effect.never, () => Deferred.succeed(interrupted, undefined))
      }
      const generation = yield* begin(scripted([searching]), slow)
      yield* Effect.promise(() => upTo(generation, "search-start"))
      const waiting = generation.next()
      yield* Effect.sleep("5 millis")
      generation.cancel()
      yield* Deferred.await(interrupted)
      expect(yield* Effect.promise(async () => waiting)).toBeUndefined()
    })
  )

  it.live("between turns interrupts the call that begins the next one", () =>
    Effect.gen(function* () {
      const interrupted = yield* Deferred.make<void>()
      const begun = yield* Deferred.make<void>()
      const model = scripted([
        searching,
        () =>
          Effect.zipRight(Deferred.succeed(begun, undefined), Effect.never).pipe(
            Effect.onInterrupt(() => Deferred.succeed(interrupted, undefined))
          )
      ])
      const generation = yield* begin(model, corpusProvider().provider)
      yield* Effect.promise(() => upTo(generation, "search-end"))
      const waiting = generation.next()
      yield* Deferred.await(begun)
      generation.cancel()
      yield* Deferred.await(interrupted)
      expect(yield* Effect.promise(async () => waiting)).toBeUndefined()
    })
  )
})
