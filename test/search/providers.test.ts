import { afterAll, describe, expect, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { searchProvider } from "../../src/search/configured.ts"
import { select } from "../../src/search/select.ts"
import { tool } from "./script.ts"

const asked: Array<{ readonly url: URL; readonly headers: Headers; readonly body: unknown }> = []
let answer: () => Response = () => Response.json({})
const server = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  development: false,
  fetch: async (request) => {
    const text = await request.text()
    asked.push({
      url: new URL(request.url),
      headers: request.headers,
      body: text === "" ? undefined : JSON.parse(text)
    })
    return answer()
  }
})
afterAll(() => server.stop(true))

const base_url = `http://127.0.0.1:${server.port}/`
const api_key = Redacted.make("planted-secret")
const made = (provider: "brave" | "tavily" | "searxng") => searchProvider({ provider, api_key, base_url })
const page = { url: "https://a.example.com/x", title: "<strong>A</strong> &amp; B" }
const found = { type: "results", results: [{ ...page, title: "A & B", text: "words", pageAge: "April 30, 2025" }] }
const filtered = tool({ allowedDomains: ["example.com/x"], blockedDomains: undefined })

describe("providers", () => {
  it.effect("Brave", () =>
    Effect.gen(function* () {
      answer = () =>
        Response.json({
          web: { results: [{ ...page, description: "<strong>words</strong>", page_age: "2025-04-30T00:00:00" }] }
        })
      const located = {
        ...filtered,
        location: { city: undefined, region: undefined, country: "de", timezone: undefined }
      }
      expect(yield* made("brave")!.search({ query: "cats", tool: located })).toEqual(found)
      expect(asked.at(-1)?.url.pathname).toBe("/res/v1/web/search")
      expect(Object.fromEntries(asked.at(-1)!.url.searchParams)).toMatchObject({
        q: "cats (site:example.com)",
        country: "DE"
      })
      expect(asked.at(-1)?.headers.get("x-subscription-token")).toBe("planted-secret")
    })
  )

  it.effect("Tavily", () =>
    Effect.gen(function* () {
      answer = () =>
        Response.json({ results: [{ ...page, content: "words", published_date: "Wed, 30 Apr 2025 10:00:00 GMT" }] })
      expect(yield* made("tavily")!.search({ query: "cats", tool: filtered })).toEqual(found)
      expect(asked.at(-1)?.url.pathname).toBe("/search")
      expect(asked.at(-1)?.body).toMatchObject({ query: "cats", include_domains: ["example.com"] })
      expect(asked.at(-1)?.headers.get("authorization")).toBe("Bearer planted-secret")
    })
  )

  it.effect("SearXNG", () =>
    Effect.gen(function* () {
      answer = () => Response.json({ results: [{ ...page, content: "words", publishedDate: "2025-04-30" }] })
      expect(yield* made("searxng")!.search({ query: "cats", tool: filtered })).toEqual(found)
      expect(Object.fromEntries(asked.at(-1)!.url.searchParams)).toEqual({ q: "cats site:example.com", format: "json" })
    })
  )

  it.effect.each([
    [429, "too_many_requests"],
    [401, "unavailable"],
    [500, "unavailable"],
    [200, "unavailable"]
  ] as const)("an answer of %i that is no result is told as %s", ([status, code]) =>
    Effect.gen(function* () {
      answer = () => new Response("no JSON", { status })
      expect(yield* made("brave")!.search({ query: "cats", tool: tool() })).toEqual({ type: "error", code })
    })
  )

  it.effect("an unreachable provider is reported as unavailable", () =>
    Effect.gen(function* () {
      const gone = searchProvider({ provider: "searxng", base_url: "http://127.0.0.1:1" })
      expect(yield* gone!.search({ query: "cats", tool: tool() })).toEqual({ type: "error", code: "unavailable" })
    })
  )

  it("no provider is named", () => {
    expect(searchProvider(undefined)).toBeUndefined()
  })
})

describe("results", () => {
  const pages = (...urls: ReadonlyArray<string>) =>
    urls.map((url) => ({ url, title: "", text: "x".repeat(9_000), date: undefined }))

  it("are those of the allowed domains and not of the blocked ones, each once", () => {
    const found = pages(
      "https://example.com/blog/1",
      "https://example.com/blog/1",
      "https://sub.example.com/blog/2",
      "https://example.com/shop",
      "https://notexample.com/blog/3",
      "https://example.com.evil.test/blog/4",
      "javascript:alert(1)",
      "nonsense"
    )
    const urls = (over: Parameters<typeof tool>[0]) => select(found, tool(over)).map(({ url }) => url)
    expect(urls({ allowedDomains: ["example.com/blog"] })).toEqual([
      "https://example.com/blog/1",
      "https://sub.example.com/blog/2"
    ])
    expect(urls({ blockedDomains: ["example.com"] })).toEqual([
      "https://notexample.com/blog/3",
      "https://example.com.evil.test/blog/4"
    ])
  })

  it("are as many and as long as the context size says", () => {
    const found = pages(...Array.from({ length: 20 }, (_, n) => `https://example.com/${n}`))
    const measured = (contextSize: "low" | "medium" | "high") => {
      const results = select(found, tool({ contextSize }))
      return [results.length, results[0]?.text.length]
    }
    expect([measured("low"), measured("medium"), measured("high")]).toEqual([
      [3, 600],
      [5, 1_500],
      [8, 4_000]
    ])
  })
})
