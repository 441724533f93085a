import { describe, expect, it } from "@effect/vitest"
import { betasOfParts, claudePlaces } from "../../../src/config/providers/claudePlaces.ts"
import type { ClaudePlaceName } from "../../../src/config/providers/claudePlaces.ts"
import { claudeVersion } from "../../../src/config/providers/claudeVersion.ts"
import type { JsonObject } from "../../../src/contract/fields.ts"
import { anthropicMessagesAt } from "../../../src/upstreams/protocols/anthropicMessages/anthropicMessages.ts"
import { betaRefusal } from "../../../src/upstreams/protocols/anthropicMessages/betaRefusal.ts"
import { conversation } from "../conversations.ts"
import { fitToPlace } from "../../../src/upstreams/protocols/anthropicMessages/fitToPlace.ts"

const fit = (
  place: ClaudePlaceName | undefined,
  body: JsonObject,
  betas: ReadonlyArray<string>,
  { model = "claude-opus-4-8", refused = [] as ReadonlyArray<string>, drop = [] as ReadonlyArray<string> } = {}
) => {
  const headers = betas.length === 0 ? undefined : { "anthropic-beta": betas.join(",") }
  const { headers: left, ...rest } = fitToPlace({ body, headers }, place && claudePlaces[place], {
    model,
    betas: drop.length === 0 ? undefined : { drop },
    refused: new Set(refused)
  })
  return { ...rest, sent: left?.["anthropic-beta"] }
}

it.each([
  ["us.anthropic.claude-sonnet-4-5-20250929-v1:0", 4.5],
  ["claude-opus-4-1-20250805", 4.1],
  ["claude-sonnet-4@20250514", 4],
  ["anthropic.claude-3-7-sonnet-20250219-v1:0", 3.7],
  ["claude-3-haiku-20240307", 3],
  ["claude-3.5-sonnet", 3.5],
  ["claude-opus-4.6", 4.6],
  ["claude-opus-5-5", 5.5],
  ["claude-fable-5", 5],
  ["claude-next", Infinity],
  ["house-deployment", Infinity]
])("%s is of version %d", (model, version) => {
  expect(claudeVersion(model)).toBe(version)
})

it.each([
  ["https://api.anthropic.com", undefined, false],
  ["https://aws-external-anthropic.us-east-1.api.aws", undefined, false],
  ["http://127.0.0.1:1", "anthropic", false],
  ["https://bedrock-runtime.us-east-1.amazonaws.com", "bedrock", true],
  ["https://bedrock-runtime.us-east-1.amazonaws.com/anthropic", "bedrock", true],
  ["https://bedrock-mantle.us-east-1.api.aws/anthropic", undefined, true],
  ["https://x.services.ai.azure.com/anthropic", undefined, true],
  ["http://127.0.0.1:1", "vertex", true],
  ["http://127.0.0.1:1", undefined, true]
])("%s (%s): a refused beta is left out of a second try: %s", (baseUrl, provider, isLeftOut) => {
  expect(anthropicMessagesAt(baseUrl, provider).place?.betaRefusal !== undefined).toBe(isLeftOut)
})

it.each([
  ["https://bedrock-runtime.us-east-1.amazonaws.com", "bedrock", "claude-code-20250219"],
  ["https://bedrock-runtime.us-east-1.amazonaws.com/anthropic", "bedrock", "thinking-token-count-2026-05-13"],
  ["https://bedrock-mantle.us-east-1.api.aws/anthropic", undefined, "thinking-token-count-2026-05-13"],
  ["https://x.services.ai.azure.com/anthropic", undefined, "fast-mode-2026-02-01"],
  [
    "https://aiplatform.googleapis.com/v1/projects/p/locations/global/publishers/anthropic",
    "vertex",
    "effort-2025-11-24"
  ]
])("%s has a row, without %s", (baseUrl, provider, beta) => {
  const asked = { body: {}, headers: { "anthropic-beta": beta } }
  const options = { model: "claude-opus-4-8", betas: undefined, refused: new Set<string>() }
  const { adapted } = anthropicMessagesAt(baseUrl, provider).place?.fit(asked, options) ?? {}
  expect(adapted).toEqual([`anthropic-beta.${beta}`])
})

describe("a request at a place", () => {
  it("is the same object where nothing has to change", () => {
    const body = { messages: [], context_management: { edits: [] } }
    const betas = ["context-management-2025-06-27"]
    for (const place of ["anthropic", "invoke", "mantle", "vertex", "foundry", undefined] as const) {
      const { adapted, body: same, sent } = fit(place, body, betas)
      expect([same === body, adapted, sent]).toEqual([true, [], betas[0]])
    }
  })

  it("loses the edits of the beta that is left out, and keeps those of the other", () => {
    const edits = [{ type: "clear_tool_uses_20250919" }, { type: "compact_20260112" }]
    const betas = ["context-management-2025-06-27", "compact-2026-01-12"]
    const context_management = { edits }
    expect(fit("foundry", { context_management }, betas).body).toEqual({ context_management: { edits: [edits[0]] } })
    expect(fit("invoke", { context_management }, betas, { refused: [betas[0] ?? ""] }).body).toEqual({
      context_management: { edits: [edits[1]] }
    })
    const none = fit("invoke", { context_management }, betas, { drop: betas })
    expect([none.body, none.sent]).toEqual([{}, undefined])
    expect(none.adapted).toEqual([...betas.map((beta) => `anthropic-beta.${beta}`), "context_management"])
  })

  it("has system text between turns as the user's for models that take none", () => {
    const beta = "mid-conversation-system-2026-04-07"
    const messages = [
      { role: "user", content: "Hi" },
      { role: "system", content: "Be brief." },
      { role: "system", content: [{ type: "text", text: "Be kind.", cache_control: { type: "ephemeral" } }] }
    ]
    expect(fit("invoke", { messages }, [beta]).body).toEqual({ messages })
    const old = fit("invoke", { messages }, [beta], { model: "claude-sonnet-4-6" })
    expect(old.adapted).toEqual([`anthropic-beta.${beta}`, "messages[].role"])
    expect(old.body).toEqual({
      messages: [
        messages[0],
        { role: "user", content: [{ type: "text", text: "<system>\nBe brief.\n</system>" }] },
        {
          role: "user",
          content: [{ type: "text", text: "<system>\nBe kind.\n</system>", cache_control: { type: "ephemeral" } }]
        }
      ]
    })
  })

  it("loses changes of tools and settings of turns with their betas", () => {
    const betas = ["mid-conversation-tool-changes-2026-07-01", "mid-conversation-output-config-2026-07-01"]
    const change = { type: "tool_removal", tool: { type: "tool_reference", name: "look" } }
    const messages = [
      { role: "user", content: [change, { type: "text", text: "Hi" }], output_config: { effort: "low" } },
      { role: "user", content: [change] }
    ]
    expect(fit("invoke", { messages }, betas).body).toEqual({ messages })
    const { adapted, body } = fit("mantle", { messages }, betas)
    expect(body).toEqual({ messages: [{ role: "user", content: [{ type: "text", text: "Hi" }] }] })
    expect(adapted.slice(2)).toEqual(["content.tool_addition", "messages[].output_config"])
  })

  it("loses what an older model lacks at InvokeModel", () => {
    const mark = { type: "ephemeral", ttl: "1h" }
    const result = {
      type: "tool_result",
      tool_use_id: "a",
      content: [{ type: "text", text: "x", cache_control: mark }]
    }
    const body = {
      output_config: { effort: "low" },
      tools: [{ name: "look", cache_control: mark }],
      messages: [{ role: "user", content: [result] }]
    }
    expect(fit("invoke", body, []).body).toBe(body)
    const old = fit("invoke", body, [], { model: "claude-sonnet-4-20250514" })
    expect(JSON.stringify(old.body)).not.toMatch(/ttl|effort/)
    expect(old.adapted).toEqual(["cache_control.ttl", "output_config.effort"])
    expect(fit("invoke", body, [], { model: "claude-sonnet-4-5" }).adapted).toEqual(["output_config.effort"])
    expect(fit("invoke", body, [], { model: "claude-opus-4-5" }).adapted).toEqual([])
  })

  it("keeps a tool that must be called or stands alone, for the place to refuse", () => {
    const fetch = { type: "web_fetch_20250910", name: "web_fetch" }
    const look = { name: "look" }
    expect(fit("vertex", { tools: [fetch] }, []).body).toEqual({ tools: [fetch] })
    const forced = { tools: [fetch, look], tool_choice: { type: "tool", name: "web_fetch" } }
    expect(fit("vertex", forced, []).body).toEqual(forced)
    expect(fit("vertex", { tools: [fetch, look] }, []).body).toEqual({ tools: [look] })
    const search = { type: "web_search_20260209", name: "web_search" }
    expect(fit("vertex", { tools: [search, look] }, []).adapted).toEqual(["tools.web_search"])
    expect(fit("mantle", { tools: [search, look] }, []).adapted).toEqual([])
  })

  it("gets a beta that a part of it needs there, or loses the part", () => {
    const tools = [{ name: "look", defer_loading: true }]
    expect(fit("vertex", { tools }, [])).toMatchObject({ body: { tools }, sent: "tool-search-tool-2025-10-19" })
    const refused = fit("vertex", { tools }, [], { refused: ["tool-search-tool-2025-10-19"] })
    expect([refused.body, refused.adapted, refused.sent]).toEqual([
      { tools: [{ name: "look" }] },
      ["tools[].defer_loading"],
      undefined
    ])
  })
})

it("a deployment's own name counts as the newest model, in requests of callers and of the gateway", () => {
  for (const [type, more] of [
    ["enabled", { budget_tokens: 2_000 }],
    ["adaptive", {}]
  ] as const) {
    const body = { max_tokens: 4_000, temperature: 0.5, thinking: { type, ...more } }
    const [named, own] = ["claude-opus-5", "house"].map((model) => fit("foundry", body, [], { model }).body)
    expect(own).toEqual(named)
    expect(own).toMatchObject({ thinking: { type: "adaptive" } })
  }
  const { lower } = anthropicMessagesAt("https://x.services.ai.azure.com/anthropic")
  const asked = conversation({ reasoning: { ...conversation({}).reasoning, effort: "high" } })
  const [newest, deployed] = ["claude-opus-5", "house"].map((model) => lower(asked, { model, stream: false }).body)
  expect(deployed).toEqual({ ...newest, model: "house" })
  expect(deployed).toMatchObject({ thinking: { type: "adaptive" } })
})

describe("a refusal", () => {
  const sent = ["context-management-2025-06-27", "context-1m-2025-08-07"]
  it.each([
    ["invalid beta flag", { betas: sent, isNamed: false }],
    [
      "Unexpected value(s) `context-1m-2025-08-07` for the `anthropic-beta` header.",
      { betas: [sent[1]], isNamed: true }
    ],
    ["context_management: Extra inputs are not permitted", { betas: [sent[0]], isNamed: true }],
    ["speed: Extra inputs are not permitted", undefined],
    ["temperature: Extra inputs are not permitted", undefined],
    ["max_tokens: Field required", undefined],
    ["messages.0: context-1m-2025-08-07 is mentioned", undefined],
    ["context_management.made_up: Extra inputs are not permitted", undefined],
    ["context_management.edits.0.scope: Extra inputs are not permitted", undefined]
  ])("%s", (message, expected) => {
    expect(betaRefusal(message, sent)).toEqual(expected)
  })

  it("names a beta whole, not the one that its name begins with", () => {
    const [, long = ""] = sent
    const longer = `${long}-x`
    expect(betaRefusal(`Unexpected value(s) \`${longer}\` for the \`anthropic-beta\` header.`, [long, longer])).toEqual(
      {
        betas: [longer],
        isNamed: true
      }
    )
  })

  it("is about a part wherever that stands", () => {
    const names = {
      "tools.0.custom.defer_loading": "tool-search-tool-1",
      "system.0.cache_control.ephemeral.scope": "prompt-caching-scope-1"
    }
    for (const [path, beta] of Object.entries(names)) {
      expect(betaRefusal(`${path}: Extra inputs are not permitted`, [beta])).toEqual({ betas: [beta], isNamed: true })
    }
    expect(Object.keys(betasOfParts).length).toBeGreaterThan(10)
  })
})
