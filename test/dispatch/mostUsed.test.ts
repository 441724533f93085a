import { describe, expect, it } from "vitest"
import type { Model } from "../../src/catalogue/Catalogue.ts"
import { heldTokens, mostUsed } from "../../src/dispatch/mostUsed.ts"
import { AccountId, Caller } from "../../src/contract/Caller.ts"
import type { Conversation, Part } from "../../src/generation/Conversation.ts"
import { countTokens } from "../../src/tokens/tokens.ts"
import { conversation, said } from "../generation/conversations.ts"

const model = (over: Partial<Model> = {}): Model => ({
  id: "m",
  kind: "text",
  routes: [],
  contextTokens: undefined,
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
  })
})
