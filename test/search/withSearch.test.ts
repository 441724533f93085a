import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { call, result, user, weather } from "../upstreams/conversations.ts"
import { calls, says, stops, tool, usage, used } from "./script.ts"
import { asking, run, searching } from "./searching.ts"

const paris = {
  url: "https://en.wikipedia.org/wiki/Paris",
  title: "Paris - Wikipedia",
  text: "Paris is the capital and the most populous city of France, on the river Seine. The Eiffel Tower was finished there in 1889.",
  pageAge: "February 11, 2025"
}

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

  it.effect("an invalid query is reported to the model and not searched", () =>
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
