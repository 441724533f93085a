import { describe, expect, it } from "vitest"
import type { Model } from "../../src/catalogue/Catalogue.ts"
import { heldTokens, mostServed, mostUsed } from "../../src/dispatch/mostUsed.ts"
import { waysServed } from "../../src/dispatch/waysServed.ts"
import { AccountId, Caller } from "../../src/contract/callers/Caller.ts"
import type { Conversation, Part } from "../../src/generation/Conversation.ts"
import { demandsOf } from "../../src/generation/demandsOf.ts"
import { countTokens } from "../../src/tokens/tokens.ts"
import { fromUsd } from "../../src/ledger/Price.ts"
import { Future } from "../../src/flow/Future.ts"
import type { PassthroughEndpoint } from "../../src/upstreams/Upstream.ts"
import { conversation, said } from "../generation/conversations.ts"

const endpoint: PassthroughEndpoint = { family: "chat", send: () => Future.die(new Error("not sent")) }
const model = (over: Partial<Model> = {}): Model => ({
  id: "m",
  kind: "text",
  routes: [],
  contextTokens: undefined,
  facts: {},
  ownedBy: "house",
  ...over
})
const most = (one: Conversation, { mostWritten, ...over }: Partial<Model> & { readonly mostWritten?: number } = {}) =>
  mostUsed(one, { model: model(over), mostOutput: Infinity, mostWritten }, countTokens(one), [])

const short = conversation({ items: [said("user", "How much is this?")], maxOutputTokens: undefined })
const withPart = (part: Part) => conversation({ items: [{ type: "message", role: "user", content: [part] }] })

describe("the most output of a request", () => {
  it("is its own bound, otherwise its model's, otherwise the usual one, within the context", () => {
    expect(most({ ...short, maxOutputTokens: 7 }, { mostWritten: 128_000 }).outputTokens).toBe(7)
    expect(most(short, { mostWritten: 128_000 }).outputTokens).toBe(128_000)
    expect(most(short).outputTokens).toBe(16_384)
    expect(most(short, { mostWritten: 128_000, contextTokens: 1_000 }).outputTokens).toBe(1_000 - countTokens(short))
  })

  it("holds no more of a budget of tokens than the usual output, where the request has no bound", () => {
    const held = { caller: Caller.unrestricted(AccountId.make("team")), conversation: short, model: model() }
    expect(heldTokens(most(short, { mostWritten: 128_000 }), held)).toBe(countTokens(short) + 16_384)
    const bounded = { ...short, maxOutputTokens: 100_000 }
    expect(heldTokens(most(bounded), { ...held, conversation: bounded })).toBe(countTokens(short) + 100_000)
  })
})

describe("the tier that a request is held at", () => {
  const price = fromUsd({ output: 10, service_tier: { flex: 0.5, priority: 2 }, inference_geo: { us: 1.1 } })
  const held = (body: object) => {
    const asking = { conversation: short, demands: demandsOf(body) }
    const ways = waysServed({ endpoint }, asking, { carries: new Set(["serviceTier"] as const) })
    const most = { countedTokens: 0, inputTokens: 0, outputTokens: 1_000_000, searches: 0 }
    return mostServed(price, most, ways) / 1e9
  }
  it.each([
    [{}, 11],
    [{ inference_geo: "global" }, 10],
    [{ service_tier: "flex", inference_geo: "global" }, 5],
    [{ service_tier: "Fast", inference_geo: "us" }, 22]
  ])("is the one that it names: %j", (body, usd) => {
    expect(held(body)).toBe(usd)
  })

  it.each([
    { service_tier: "flex", serviceTier: "priority" },
    { service_tier: "flex", extra_body: { service_tier: "default" } }
  ])("is the dearest where it names two: %j", (body) => {
    expect(held({ ...body, inference_geo: "global" })).toBe(20)
  })
})

describe("the most input of a request", () => {
  it("is what is counted, where nothing else is read", () => {
    expect(most(short)).toMatchObject({ countedTokens: countTokens(short), inputTokens: countTokens(short) })
  })

  it("is a token per byte of what is only estimated, up to the context", () => {
    // Cheap where the samples are.
    const long = "a".repeat(64).concat(" ").repeat(4_000)
    const one = conversation({ items: [said("user", "Look:"), said("user", `${long}é`)] })
    const { countedTokens, inputTokens } = most(one)
    expect(inputTokens).toBeGreaterThan(long.length)
    expect(inputTokens - long.length).toBeLessThan(20)
    expect(inputTokens).toBeGreaterThan(4 * countedTokens)
    expect(most(one, { contextTokens: 100_000 }).inputTokens).toBe(100_000)
    // An embedding model reads one input at a time.
    expect(most(one, { contextTokens: 8_192, kind: "embedding" }).inputTokens).toBe(inputTokens)
    // The same where the count is remembered.
    expect(most({ ...one, items: [...one.items] })).toMatchObject({ countedTokens, inputTokens })
  })

  it("has room for a document that only the upstream reads, not for one that came along", () => {
    const at = (url: string) => withPart({ type: "document", name: undefined, source: { type: "url", url } })
    expect(most(at("https://example.com/a.pdf")).inputTokens).toBeGreaterThan(200_000)
    expect(most(at("https://example.com/a.pdf"), { contextTokens: 100_000 }).inputTokens).toBe(100_000)
    expect(most(at("https://example.com/a.pdf"), { longestInput: 100_000 }).inputTokens).toBe(100_000)
    const sent = withPart({
      type: "document",
      name: undefined,
      source: { type: "text", mediaType: "text/plain", text: "short" }
    })
    expect(most(sent).inputTokens).toBe(countTokens(sent))
  })

  it("is read again with the results of each search, up to the context", () => {
    const domains = { allowedDomains: undefined, blockedDomains: undefined }
    const search = { ...domains, name: "web_search", maxUses: 2, contextSize: "medium", location: undefined } as const
    const one: Conversation = { ...short, tools: [{ type: "search", ...search }] }
    const own = countTokens(one)
    expect(most(one)).toMatchObject({ searches: 2, countedTokens: own, inputTokens: 3 * own + 20_000 })
    expect(most(one, { contextTokens: 8_000 }).inputTokens).toBe(8_000)
    // A list's longest input bounds each round: all of them together are billed.
    expect(most(one, { longestInput: 8_000 }).inputTokens).toBe(own + 16_000)
  })
})

const held = (body: object, one: Conversation = short, over: Partial<Model> = {}) => {
  const demands = demandsOf(body, "max_tool_calls" in body ? "max_tool_calls" : "max_uses")
  return mostUsed(one, { model: model(over), mostOutput: Infinity }, countTokens(one), demands)
}

describe("the kinds of tokens of a request", () => {
  const sound: Part = {
    type: "document",
    name: undefined,
    source: { type: "base64", mediaType: "audio/wav", data: "A".repeat(40_000) }
  }
  const picture: Part = { type: "image", source: { type: "url", url: "https://a.dev/a.png" }, detail: "low" }

  it("are text, sound and images as far as they are counted", () => {
    expect(held({}).modal).toEqual({ audio: 0, image: 0, video: 0 })
    expect(held({}, withPart(sound)).modal).toEqual({ audio: 1_200, image: 0, video: 0 })
    expect(held({}, withPart(picture)).modal).toEqual({ audio: 0, image: 85, video: 0 })
  })

  it("are read again with each search", () => {
    const { inputTokens, modal } = held({ tools: [{ type: "web_search", max_uses: 1 }] }, withPart(picture))
    expect(modal?.image).toBeGreaterThanOrEqual(170)
    expect(modal?.image).toBeLessThan(inputTokens)
  })

  it("are not known of what only the upstream reads", () => {
    const url: Part = { type: "document", name: undefined, source: { type: "url", url: "https://a.dev/a" } }
    expect(held({}, withPart(url)).modal).toBeUndefined()
    expect(held({}, { ...short, unknownBytes: 8 }).modal).toBeUndefined()
    expect(held({ messages: [{ role: "assistant", audio: { id: "audio_1" } }] }).modal).toBeUndefined()
    expect(held({ modalities: ["text", "audio"] }).modal).toBeUndefined()
    expect(held({}, short, { kind: "embedding" }).modal).toBeUndefined()
  })

  it("have sound in the answer where the request asks for it", () => {
    const heard = [{ type: "input_audio", input_audio: { data: "AAAA", format: "wav" } }]
    expect(held({ messages: [{ role: "user", content: heard }] }).writesSound).toBe(false)
    expect(held({ modalities: ["text", "audio"] }).writesSound).toBe(true)
    expect(held({ audio: { voice: "alloy", format: "wav" } }).writesSound).toBe(true)
  })
})

describe("a cache entry", () => {
  const hour = { cacheMark: { ttl: "1h" } } as const
  const text: Part = { type: "text", text: "Hello" }
  it.each([
    ["no mark", short, {}, false],
    ["a mark for minutes", withPart({ ...text, cacheMark: {} }), {}, false],
    ["an hour, in a message", withPart({ ...text, ...hour }), {}, true],
    ["an hour, of the whole request", { ...short, ...hour }, {}, true],
    ["an hour, of the system text", { ...short, systemMarks: new Map([["s", hour.cacheMark]]) }, {}, true],
    [
      "an hour, of a tool",
      { ...short, tools: [{ type: "custom", name: "t", description: undefined, ...hour } as const] },
      {},
      true
    ],
    ["half an hour", short, { prompt_cache_options: { ttl: "30m" } }, false],
    ["twelve hours", short, { prompt_cache_options: { ttl: "12h" } }, true],
    ["a retention that becomes marks for an hour", { ...short, cacheRetention: "24h" }, {}, true]
  ])("lives long where the request asks for it: %s", (_, one, body, expected) => {
    expect(held(body, one).cachesLong).toBe(expected)
  })
})

describe("the generations besides", () => {
  const counted = countTokens(short)
  it.each([
    ["a compaction", { context_management: { edits: [{ type: "compact_20260112" }] } }, [{ outputTokens: 4_096 }]],
    ["an advisor", { tools: [{ type: "advisor_20260301", model: "dear" }] }, [{ model: "dear", outputTokens: 4_096 }]],
    [
      "fallbacks, which may write all of the answer",
      { fallbacks: [{ model: "one" }, { model: "other" }] },
      [
        { model: "one", outputTokens: 16_384 },
        { model: "other", outputTokens: 16_384 }
      ]
    ]
  ])("read the input once more: %s", (_, body, expected) => {
    expect(held(body).besides).toEqual(expected.map((one) => ({ inputTokens: counted, searches: 0, ...one })))
  })

  it("are images of a tool, four unless the request says how many", () => {
    const image = (most: object) => held({ tools: [{ type: "image_generation", model: "gpt-image-2" }], ...most })
    expect(image({})).toMatchObject({
      calls: { image_generation: 4 },
      inputTokens: 5 * counted + 40_000,
      besides: [{ model: "gpt-image-2", tool: "image_generation", outputTokens: 4 * 16_384, inputTokens: 4 * counted }]
    })
    expect(image({ max_tool_calls: 2 }).besides).toMatchObject([{ outputTokens: 2 * 16_384 }])
  })

  it("are not known of a list of models of which one answers", () => {
    expect(held({ models: ["one", "other"] }).besides).toBeUndefined()
  })
})
