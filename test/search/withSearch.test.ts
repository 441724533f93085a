import { describe, expect, it } from "@effect/vitest"
import { Deferred, Effect } from "effect"
import { RateLimited } from "../../src/contract/Failure.ts"
import type { Conversation } from "../../src/generation/Conversation.ts"
import type { Generation } from "../../src/generation/Generation.ts"
import { withSearch } from "../../src/search/withSearch.ts"
import type { SearchProvider } from "../../src/search/SearchProvider.ts"
import { UpstreamError } from "../../src/upstreams/UpstreamError.ts"
import { call, conversation, result, user, weather } from "../upstreams/conversations.ts"
import { outcome } from "../upstreams/events.ts"
import { generated } from "../upstreams/generated.ts"
import { calls, corpusProvider, drained, says, scripted, stops, tool, usage, used } from "./script.ts"
import type { Turn } from "./script.ts"

const options = { upstreamModel: "m", stream: true, requestId: "req_1" }
const asking = (over: Partial<Conversation> = {}) =>
  conversation({ items: [user("What is Paris?")], tools: [tool()], ...over })

const run = (turns: ReadonlyArray<Turn>, asked: Conversation = asking(), given?: SearchProvider) =>
  Effect.gen(function* () {
    const model = scripted(turns)
    const { provider, queries } = corpusProvider()
    const generation = yield* generated(withSearch(model.upstream, given ?? provider), asked, options)
    const events = yield* Effect.promise(() => drained(generation))
    return { ...outcome(events), events, model, queries }
  })

const paris = {
  url: "https://en.wikipedia.org/wiki/Paris",
  title: "Paris - Wikipedia",
  text: "Paris is the capital and the most populous city of France, on the river Seine. The Eiffel Tower was finished there in 1889.",
  pageAge: "February 11, 2025"
}
const searching = [...calls("web_search", "call_0", { query: "Paris" }), used(10, 5), stops("tool-calls")]

describe("a model without a search", () => {
  it.effect("searches through the gateway, and answers with results, citations and the usage of all its turns", () =>
    Effect.gen(function* () {
      const {
        ending,
        items,
        model,
        queries,
        usage: told
      } = yield* run([
        [{ type: "started", usage: usage(10, 0) }, ...says("Let me look."), ...searching],
        [
          { type: "started", usage: undefined },
          ...says("It has a tower. It was finished in 1889 [[1]]. Ask me more!"),
          used(30, 7),
          stops()
        ]
      ])
      expect(queries).toEqual(["Paris"])
      expect(items).toEqual([
        { type: "text", text: "Let me look." },
        { type: "search", id: expect.any(String), query: "Paris", outcome: { type: "results", results: [paris] } },
        {
          type: "text",
          text: "It has a tower. It was finished in 1889. Ask me more!",
          citations: [
            {
              url: paris.url,
              title: paris.title,
              citedText: "The Eiffel Tower was finished there in 1889.",
              start: 16,
              end: 39
            }
          ]
        }
      ])
      expect(ending).toEqual({ reason: "stop", stopSequence: null })
      expect(told).toEqual({ ...usage(40, 12), searches: 1 })
      expect(model.asked[0]?.tools).toMatchObject([{ type: "function", name: "web_search" }])
      expect(model.asked[1]?.items.slice(1)).toEqual([
        { type: "message", role: "assistant", content: [{ type: "text", text: "Let me look." }] },
        {
          type: "tool-call",
          callId: items[1]?.["id"],
          name: "web_search",
          arguments: '{"query":"Paris"}',
          kind: "function"
        },
        {
          type: "tool-result",
          callId: items[1]?.["id"],
          content: [{ type: "text", text: expect.stringContaining(`[[1]] ${paris.title}`) }],
          isError: false
        }
      ])
      expect(model.ended).toEqual(["finished", "finished"])
    })
  )

  it.effect("starts once however many turns it takes", () =>
    Effect.gen(function* () {
      const { events } = yield* run([
        [{ type: "started", usage: undefined }, ...searching],
        [{ type: "started", usage: undefined }, ...says("Hi"), stops()]
      ])
      expect(events.filter(({ type }) => type === "started")).toHaveLength(1)
      expect(events.filter(({ type }) => type === "finished")).toHaveLength(1)
    })
  )

  it.effect("makes the searches of a turn side by side, each once, whatever their ids", () =>
    Effect.gen(function* () {
      const turn = [...calls("web_search", "0", { query: "Paris" }), ...calls("web_search", "0", { query: "Mars" })]
      const { items, queries } = yield* run([
        [...turn, stops("tool-calls")],
        [...searching],
        [...says("Done"), stops()]
      ])
      expect(queries).toEqual(["Paris", "Mars", "Paris"])
      expect(items.map(({ type }) => type)).toEqual(["search", "search", "search", "text"])
    })
  )

  it.effect("is shown its reasoning again, as models in a tool loop want it", () =>
    Effect.gen(function* () {
      const { model } = yield* run([
        [{ type: "reasoning-delta", text: "Look it up" }, { type: "reasoning-end", signature: "sig" }, ...searching],
        [...says("Done"), stops()]
      ])
      expect(model.asked[1]?.items[1]).toEqual({
        type: "reasoning",
        text: "Look it up",
        signature: "sig",
        redacted: undefined
      })
    })
  )
})

describe("max_uses", () => {
  it.effect("ends the searches with an error that model and client see", () =>
    Effect.gen(function* () {
      const {
        items,
        model,
        queries,
        usage: told
      } = yield* run(
        [searching, searching, [...says("Enough"), used(1, 1), stops()]],
        asking({ tools: [tool({ maxUses: 1 }), weather] })
      )
      expect(queries).toEqual(["Paris"])
      expect(items[1]).toMatchObject({ type: "search", outcome: { type: "error", code: "max_uses_exceeded" } })
      expect(told?.searches).toBe(1)
      expect(model.asked[2]?.tools.map(({ name }) => name)).toEqual(["get_weather"])
      expect(JSON.stringify(model.asked[2]?.items.at(-1))).toContain("No more searches are allowed")
    })
  )

  it.effect("counts the searches of one turn one by one", () =>
    Effect.gen(function* () {
      const both = [...calls("web_search", "a", { query: "Paris" }), ...calls("web_search", "b", { query: "Mars" })]
      const { items, queries } = yield* run(
        [
          [...both, stops("tool-calls")],
          [...says("Enough"), stops()]
        ],
        asking({ tools: [tool({ maxUses: 1 })] })
      )
      expect(queries).toEqual(["Paris"])
      expect(items).toMatchObject([{ outcome: { type: "results" } }, { outcome: { code: "max_uses_exceeded" } }, {}])
    })
  )

  it.effect("stops a model that would search for ever", () =>
    Effect.gen(function* () {
      const { items } = yield* run([...Array.from({ length: 11 }, () => searching), [...says("Well"), stops()]])
      expect(items.filter(({ type }) => type === "search")).toHaveLength(11)
      expect(items[10]).toMatchObject({ outcome: { code: "max_uses_exceeded" } })
    })
  )
})

describe("rules of the tool", () => {
  it.effect("keep to the domains that are allowed", () =>
    Effect.gen(function* () {
      const answer = (allowedDomains: ReadonlyArray<string> | undefined, blockedDomains?: ReadonlyArray<string>) =>
        Effect.map(
          run([searching, [...says("Done"), stops()]], asking({ tools: [tool({ allowedDomains, blockedDomains })] })),
          ({ items }) => JSON.stringify(items[0]?.["outcome"])
        )
      expect(yield* answer(["wikipedia.org"])).toContain(paris.url)
      expect(yield* answer(["wikipedia.org/wiki/Berlin"])).not.toContain(paris.url)
      expect(yield* answer(undefined, ["en.wikipedia.org"])).not.toContain(paris.url)
    })
  )

  it.effect("a query that is none is told to the model and searched for nobody", () =>
    Effect.gen(function* () {
      const bad = [...calls("web_search", "a", "{not json"), ...calls("web_search", "b", { query: "x".repeat(500) })]
      const {
        items,
        queries,
        usage: told
      } = yield* run([
        [...bad, used(1, 1), stops("tool-calls")],
        [...says("Sorry"), used(1, 1), stops()]
      ])
      expect(queries).toEqual([])
      expect(items).toMatchObject([
        { outcome: { code: "invalid_tool_input" } },
        { outcome: { code: "query_too_long" } },
        { text: "Sorry" }
      ])
      expect(told?.searches).toBe(0)
    })
  )

  it.effect("a forced search is forced once", () =>
    Effect.gen(function* () {
      const { model } = yield* run(
        [searching, [...says("Done"), stops()]],
        asking({ toolChoice: { type: "tool", name: "web_search" } })
      )
      expect(model.asked.map(({ toolChoice }) => toolChoice.type)).toEqual(["tool", "auto"])
    })
  )

  it.effect("no tool may be used: none is offered", () =>
    Effect.gen(function* () {
      const { model } = yield* run([[...says("Hi"), stops()]], asking({ toolChoice: { type: "none" } }))
      expect(model.asked[0]?.tools).toEqual([])
    })
  )

  it.effect("a function of the caller's keeps its name", () =>
    Effect.gen(function* () {
      const own = { ...weather, name: "web_search" }
      const { items, model } = yield* run(
        [
          [...calls("web_search_2", "a", { query: "Paris" }), stops("tool-calls")],
          [...calls("web_search", "b", { city: "Paris" }), stops("tool-calls")]
        ],
        asking({ tools: [own, tool()] })
      )
      expect(model.asked[0]?.tools.map(({ name }) => name)).toEqual(["web_search", "web_search_2"])
      expect(items.map(({ type }) => type)).toEqual(["search", "tool-call"])
    })
  )
})

describe("together with the caller's functions", () => {
  const both = asking({ tools: [weather, tool()] })
  const asksWeather = calls("get_weather", "call_w", { city: "Paris" })

  it.effect("the searches are answered, then the calls handed out", () =>
    Effect.gen(function* () {
      for (const turn of [
        [...calls("web_search", "call_s", { query: "Paris" }), ...asksWeather],
        [...asksWeather, ...calls("web_search", "call_s", { query: "Paris" })]
      ]) {
        const { ending, items, model } = yield* run([[...turn, used(1, 1), stops("tool-calls")]], both)
        expect(items).toHaveLength(2)
        expect(items).toContainEqual({
          type: "tool-call",
          callId: "call_w",
          name: "get_weather",
          kind: "function",
          text: '{"city":"Paris"}'
        })
        expect(items).toContainEqual(
          expect.objectContaining({ type: "search", outcome: { type: "results", results: [paris] } })
        )
        expect(ending).toMatchObject({ reason: "tool-calls" })
        expect(model.asked).toHaveLength(1)
      }
    })
  )

  it.effect("the next request goes on from both, and may cite what was found before", () =>
    Effect.gen(function* () {
      const { items, model } = yield* run([[...says("Warm [[1]]"), stops()]], {
        ...both,
        items: [
          user("What is Paris?"),
          { type: "search", id: "ws_1", query: "Paris", outcome: { type: "results", results: [paris] } },
          call("call_w", "get_weather", "{}"),
          result("call_w", "21 degrees")
        ]
      })
      expect(model.asked[0]?.items.map(({ type }) => type)).toEqual([
        "message",
        "tool-call",
        "tool-result",
        "tool-call",
        "tool-result"
      ])
      expect(items).toMatchObject([{ text: "Warm", citations: [{ url: paris.url, start: 0, end: 4 }] }])
    })
  )
})

describe("what ends it early", () => {
  it.effect("without a provider it is left out, which is told", () =>
    Effect.gen(function* () {
      const model = scripted([says("Hi")])
      const generation = yield* generated(withSearch(model.upstream, undefined), asking(), options)
      expect(generation.adapted).toEqual(["tools.web_search"])
      expect(model.asked[0]?.tools).toEqual([])
    })
  )

  it.effect.each([
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

  it.effect("a later turn that is refused fails the answer", () =>
    Effect.gen(function* () {
      const failure = new RateLimited({ retryAfterSeconds: 1 })
      const refused = new UpstreamError({ failure, retry: "again", retryAfterMs: 1_000, status: 429 })
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
