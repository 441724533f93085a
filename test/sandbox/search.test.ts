import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import fc from "fast-check"
import type { Conversation, SearchTool } from "../../src/generation/Conversation.ts"
import { asking, endOf, run, textIn, usageIn } from "./run.ts"

const tool = (given: Partial<SearchTool> = {}): SearchTool => ({
  type: "search",
  name: "web_search",
  allowedDomains: undefined,
  blockedDomains: undefined,
  maxUses: undefined,
  contextSize: "high",
  location: undefined,
  ...given
})

const search = (text: string, given: Partial<SearchTool> = {}, rest: Partial<Conversation> = {}) =>
  Effect.map(run(asking(text, { tools: [tool(given)], ...rest })), (events) => ({
    events,
    text: textIn(events),
    outcomes: events.flatMap((event) => (event.type === "search-end" ? [event.outcome] : [])),
    urls: events.flatMap((event) =>
      event.type === "search-end" && event.outcome.type === "results" ? event.outcome.results.map(({ url }) => url) : []
    ),
    citations: events.flatMap((event) => (event.type === "citation" ? [event.citation] : []))
  }))

describe("the sandbox's web search", () => {
  it.effect("searches when the text asks for it, and cites real spans of its answer", () =>
    Effect.gen(function* () {
      const { citations, events, text, urls } = yield* search("Search the web for the speed of light")
      expect(urls).toContain("https://en.wikipedia.org/wiki/Speed_of_light")
      expect(citations.length).toBeGreaterThan(0)
      for (const { citedText, end, start, url } of citations) {
        expect(text.slice(start, end)).toBe(citedText)
        expect(citedText.length).toBeLessThanOrEqual(150)
        expect(urls).toContain(url)
      }
      const types = events.map((event) => event.type)
      expect(types.indexOf("search-end")).toBeLessThan(types.indexOf("text-start"))
      expect(types.lastIndexOf("citation")).toBeLessThan(types.indexOf("text-end"))
      expect(usageIn(events).searches).toBe(1)
      expect(endOf(events)).toMatchObject({ reason: "stop" })
    })
  )

  it("finds a page for anything when nothing is filtered", () =>
    fc.assert(
      fc.asyncProperty(fc.string(), async (words) => {
        const { urls } = await Effect.runPromise(search(`search for ${words.replaceAll("[[sandbox:", "")}`))
        expect(urls.length).toBeGreaterThan(0)
      })
    ))

  it.effect("does not search unasked, unless the choice requires it", () =>
    Effect.gen(function* () {
      expect((yield* search("Tell me a story")).outcomes).toEqual([])
      const required = { toolChoice: { type: "required", names: undefined } } as const
      expect((yield* search("Tell me a story", {}, required)).outcomes).toHaveLength(1)
      const named = { toolChoice: { type: "tool", name: "web_search" } } as const
      expect((yield* search("Tell me a story", {}, named)).outcomes).toHaveLength(1)
    })
  )

  it.effect("keeps to allowed domains and their subdomains", () =>
    Effect.gen(function* () {
      const { urls } = yield* search("Search for tools and streaming", { allowedDomains: ["example.com"] })
      expect(urls.some((url) => url.startsWith("https://docs.example.com/"))).toBe(true)
      expect(urls.every((url) => new URL(url).hostname.endsWith("example.com"))).toBe(true)
      const only = yield* search("Search for tools and streaming", { allowedDomains: ["docs.example.com"] })
      expect(only.urls.every((url) => url.startsWith("https://docs.example.com/"))).toBe(true)
      const below = yield* search("Search for tools and streaming", { allowedDomains: ["example.com/blog"] })
      expect(below.urls.every((url) => url.startsWith("https://example.com/blog/"))).toBe(true)
      expect(below.urls.length).toBeGreaterThan(0)
    })
  )

  it.effect("keeps away from blocked domains", () =>
    Effect.gen(function* () {
      const { urls } = yield* search("Search for Paris", { blockedDomains: ["wikipedia.org"] })
      expect(urls.length).toBeGreaterThan(0)
      expect(urls.some((url) => url.includes("wikipedia.org"))).toBe(false)
    })
  )

  it.effect("says that nothing was found where the filter leaves no page", () =>
    Effect.gen(function* () {
      const { outcomes, text } = yield* search("Search for Paris", { allowedDomains: ["nowhere.invalid"] })
      expect(outcomes).toEqual([{ type: "results", results: [] }])
      expect(text).toContain("No page")
    })
  )

  it.effect("ends with max_uses_exceeded when it may not search once more", () =>
    Effect.gen(function* () {
      const { events, outcomes, text } = yield* search("Search for Paris, then search for Mars and search for Berlin", {
        maxUses: 2
      })
      expect(outcomes.map((outcome) => (outcome.type === "error" ? outcome.code : outcome.type))).toEqual([
        "results",
        "results",
        "max_uses_exceeded"
      ])
      expect(usageIn(events).searches).toBe(2)
      expect(text).toContain('"Paris", "Mars"')
      expect((yield* search("Search 5 times for Mars", { maxUses: 3 })).outcomes).toHaveLength(4)
      expect((yield* search("Search 3 times for Mars", { maxUses: 3 })).outcomes).toHaveLength(3)
    })
  )

  it.effect("finds more with a larger context, and names the caller's city", () =>
    Effect.gen(function* () {
      const text = "Search for Wikipedia on Paris, Berlin and light"
      const low = yield* search(text, { contextSize: "low" })
      const high = yield* search(text, { contextSize: "high" })
      expect(high.urls.length).toBeGreaterThan(low.urls.length)
      const location = { city: "Lyon", region: undefined, country: undefined, timezone: undefined }
      expect((yield* search(text, { location })).text).toContain("near Lyon")
    })
  )

  it.effect("cites nothing that the token limit cut off", () =>
    Effect.gen(function* () {
      const { citations, text } = yield* search("Search for Paris", {}, { maxOutputTokens: 20 })
      expect(citations).toEqual([])
      expect(text).not.toBe("")
    })
  )
})
