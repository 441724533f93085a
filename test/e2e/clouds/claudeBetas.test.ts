import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { anthropic } from "../../upstreams/fakes/anthropic.ts"
import { bedrockKey, fakeBedrock } from "../../upstreams/fakes/bedrock.ts"
import { betasIn, placeComplaint } from "../../upstreams/fakes/claudePlaces.ts"
import { awsKey, fakeMantle } from "../../upstreams/fakes/mantle.ts"
import { startCloud } from "../../upstreams/fakes/startCloud.ts"
import { vertexModel, vertexModels, vertexToken } from "../../upstreams/fakes/vertexClaude.ts"
import { request } from "../../request.ts"
import { startGateway } from "../../gatewayHere.ts"
import type { GatewayHere } from "../../gatewayHere.ts"

// oxlint-disable-next-line typescript/no-explicit-any -- a test reads whatever was sent
type Any = any

const bedrock = fakeBedrock()
const aws = fakeMantle()
const vertex = await startCloud("vertex")

/** Foundry, and a server that nothing is known of: it refuses as its path says. */
let plainlyAsked: { readonly headers: Headers; readonly body: Any } | undefined
const plain = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch: async (asked) => {
    const body: Any = await asked.json()
    plainlyAsked = { headers: asked.headers, body }
    const betas = betasIn(asked.headers)
    const version = asked.headers.get("anthropic-version") ?? undefined
    const wrong = placeComplaint("foundry", { model: body.model, betas, version }, body)
    return wrong === undefined
      ? asked.url.endsWith("count_tokens")
        ? Response.json({ input_tokens: 9 })
        : Response.json(anthropic.answer("text", body.model))
      : Response.json(anthropic.error(400, wrong), { status: 400 })
  }
})

const adminKey = "admin-key-0123456789abcdefghijklm"
let gateway: GatewayHere
beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), "gateway-claude-betas-"))
  const protocol = "anthropic-messages"
  const upstreams = {
    invoke: { protocol, provider: "bedrock", base_url: bedrock.url, api_key: bedrockKey },
    mantle: { protocol, base_url: `${aws.at("bedrock-mantle")}/anthropic`, api_key: awsKey },
    vertex: {
      protocol,
      provider: "vertex",
      base_url: vertex.url + vertexModels.replace(/\/models$/, ""),
      api_key: vertexToken
    },
    foundry: { protocol, provider: "foundry", base_url: `http://127.0.0.1:${plain.port}/anthropic`, api_key: "key" },
    anthropic: { protocol, provider: "anthropic", base_url: `http://127.0.0.1:${plain.port}`, api_key: "key" }
  }
  const operators = {
    allowing: { ...upstreams.vertex, anthropic_beta: { allow: ["effort-2025-11-24"] } },
    dropping: { ...upstreams.invoke, anthropic_beta: { drop: ["context-management-2025-06-27"] } },
    deployed: { ...upstreams.invoke, models: { "us.anthropic.house-deployment": "claude-sonnet-4-6" } }
  }
  const ids = {
    invoke: "us.anthropic.claude-opus-4-8-v1:0",
    "invoke-old": "us.anthropic.claude-sonnet-4-6-v1:0",
    mantle: "anthropic.claude-opus-4-8",
    vertex: vertexModel,
    foundry: "claude-opus-4-8",
    anthropic: "claude-opus-4-8",
    allowing: vertexModel,
    dropping: "us.anthropic.claude-opus-4-8-v1:0",
    deployed: "us.anthropic.house-deployment"
  }
  const models = Object.fromEntries(
    Object.entries(ids).map(([name, model]) => [name, { routes: [{ upstream: name.replace("-old", ""), model }] }])
  )
  writeFileSync(join(folder, "gateway.yaml"), JSON.stringify({ upstreams: { ...upstreams, ...operators }, models }))
  gateway = await startGateway({ folder, env: { GATEWAY_ADMIN_KEY: adminKey } })
})
afterAll(async () => {
  await gateway.dispose()
  await bedrock.stop()
  await aws.stop()
  await vertex.stop()
  await plain.stop(true)
})

/** The last call of a place, with its betas wherever they stand. */
const last = async (model: string): Promise<{ readonly betas: ReadonlyArray<string>; readonly body: Any }> => {
  if (/^(?:invoke|dropping|deployed)/.test(model)) {
    const { body } = bedrock.last()
    const sent =
      body.input === undefined ? body : JSON.parse(Buffer.from(body.input.invokeModel.body, "base64").toString())
    return { betas: sent.anthropic_beta ?? [], body: sent }
  }
  const call =
    model === "mantle" ? aws.last() : model === "vertex" || model === "allowing" ? await vertex.last() : plainlyAsked!
  return { betas: betasIn(call.headers), body: call.body }
}

/** What Claude Code sends by default. */
const ofClaudeCode: ReadonlyArray<string> = [
  "claude-code-20250219",
  "interleaved-thinking-2025-05-14",
  "context-management-2025-06-27",
  "thinking-token-count-2026-05-13",
  "prompt-caching-scope-2026-01-05",
  "mid-conversation-system-2026-04-07",
  "effort-2025-11-24"
]
const asked = {
  max_tokens: 1_000,
  system: [{ type: "text", text: "Be brief.", cache_control: { type: "ephemeral", scope: "global" } }],
  messages: [{ role: "user", content: "Hi" }],
  tools: [{ name: "look", input_schema: { type: "object", properties: {} } }],
  context_management: { edits: [{ type: "clear_thinking_20251015", keep: "all" }] }
}

const unscoped = { ...asked, system: "Be brief." }

const ask = async (model: string, body: object, betas: ReadonlyArray<string>, more: Any = {}, path = "") => {
  const headers = { "anthropic-beta": betas.join(","), "anthropic-version": "2026-10-21", ...more }
  const answer = await request(gateway, `/v1/messages${path}`, { body: { model, ...body }, headers })
  const text = await answer.text()
  return { status: answer.status, text, adapted: answer.headers.get("x-gateway-adapted") }
}

const named = (...betas: ReadonlyArray<string>) => betas.map((beta) => `anthropic-beta.${beta}`)

describe("Claude Code's first question", () => {
  const [code, thinking, managed, counted, scope, system, effort] = ofClaudeCode
  const places: ReadonlyArray<readonly [string, ReadonlyArray<string | undefined>]> = [
    ["invoke", [code, thinking, counted, scope, system]],
    ["invoke-old", [counted, scope, system]],
    ["mantle", [counted, scope, system]],
    ["vertex", [counted, scope, system, effort]],
    ["foundry", []],
    ["anthropic", []]
  ]
  it.each(places)("gets at %s the betas that the place takes, whole and streamed", async (model, dropped) => {
    const left = ofClaudeCode.filter((beta) => !dropped.includes(beta))
    for (const stream of [false, true]) {
      const { adapted, status, text } = await ask(model, { ...asked, stream }, ofClaudeCode)
      expect([status, text.includes("error") ? text : ""]).toEqual([200, ""])
      const { betas, body } = await last(model)
      expect(betas).toEqual(left)
      expect(body.context_management).toEqual(asked.context_management)
      expect(body.system[0].cache_control).toEqual(
        dropped.includes(scope) ? { type: "ephemeral" } : asked.system[0]!.cache_control
      )
      const names = dropped.length === 0 ? [] : [...named(...dropped.map(String)), "cache_control.scope"]
      expect((adapted ?? "").split(", ").filter((name) => name !== "")).toEqual(names)
    }
    expect(managed).toBe("context-management-2025-06-27")
    const strict = await ask(model, asked, ofClaudeCode, { "x-gateway-strict": "true" })
    expect(strict.status).toBe(dropped.length === 0 ? 200 : 400)
    if (dropped.length > 0) expect(strict.text).toContain(`anthropic-beta.${dropped[0]}`)
  })

  it.each(places)("is counted at %s", async (model, dropped) => {
    const { max_tokens: _, ...counted } = asked
    const { status, text } = await ask(model, counted, ofClaudeCode, {}, "/count_tokens")
    expect([status, JSON.parse(text)]).toEqual([200, { input_tokens: 9 }])
    const { betas } = await last(model)
    expect(betas).toEqual(
      ofClaudeCode.filter((beta) => !dropped.includes(beta) && (model !== "vertex" || beta !== effort))
    )
  })

  it("runs at a cloud asynchronously", async () => {
    const before = bedrock.asked.length
    const { text } = await ask("invoke", { ...asked, async: true }, ofClaudeCode)
    const { id } = JSON.parse(text)
    const status = async () => JSON.parse(await (await request(gateway, `/v1/tasks/${id}`, {})).text()).status
    await expect.poll(status).toBe("success")
    expect(bedrock.asked).toHaveLength(before + 1)
    expect((await last("invoke")).betas).toEqual([managed, effort])
  })
})

describe("a beta that a place lacks", () => {
  it.each(["invoke", "mantle", "vertex"])("goes with its fields at %s, each by its name", async (model) => {
    const { adapted, status, text } = await ask(
      model,
      {
        ...unscoped,
        context_management: { edits: [{ type: "clear_thinking_20251015" }, { type: "compact_20260112" }] },
        container: { skills: [] },
        speed: "fast",
        inference_geo: "us",
        diagnostics: {},
        cache_control: { type: "ephemeral" },
        tools: [
          ...asked.tools,
          { name: "find", input_schema: { type: "object" }, defer_loading: true, input_examples: [{}] },
          { name: "call", input_schema: { type: "object" }, allowed_callers: ["code_execution_20250825"] },
          { type: "web_fetch_20250910", name: "web_fetch" }
        ]
      },
      [
        "mcp-client-2025-11-20",
        "skills-2025-10-02",
        "advanced-tool-use-2025-11-20",
        "compact-2026-01-12",
        "context-management-2025-06-27",
        "never-heard-of-2026-11-01"
      ]
    )
    expect([status, status === 200 ? "" : text]).toEqual([200, ""])
    const { betas, body } = await last(model)
    const examples = model === "vertex" ? [] : ["tool-examples-2025-10-29"]
    const kept = ["tool-search-tool-2025-10-19", "compact-2026-01-12", "context-management-2025-06-27"]
    expect(betas).toEqual([...kept, ...examples])
    expect(body.context_management.edits).toHaveLength(2)
    expect(body.tools.map(({ name }: Any) => name)).toEqual(["look", "find", "call"])
    expect(body.tools[1].defer_loading).toBe(true)
    for (const field of ["container", "speed", "inference_geo", "diagnostics", "cache_control"]) {
      expect(body).not.toHaveProperty(field)
      expect(adapted?.split(", ")).toContain(field)
    }
    for (const name of ["tools[].allowed_callers", "tools.web_fetch_20250910"]) {
      expect(adapted?.split(", ")).toContain(name)
    }
    for (const beta of ["mcp-client-2025-11-20", "skills-2025-10-02", "never-heard-of-2026-11-01"]) {
      expect(adapted?.split(", ")).toContain(`anthropic-beta.${beta}`)
    }
    expect(adapted).not.toContain("advanced-tool-use")
  })

  it("leaves the newer name of a field that is general", async () => {
    const format = { type: "json_schema", schema: { type: "object", properties: {} } }
    const betas = ["structured-outputs-2025-11-13"]
    expect(
      (await ask("invoke", { ...unscoped, context_management: undefined, output_format: format }, betas)).status
    ).toBe(200)
    const { body } = await last("invoke")
    expect(body).not.toHaveProperty("output_format")
    expect(body.output_config).toEqual({ format })
  })

  it("is not counted by a caller's name in the metrics", async () => {
    const metrics = await (await request(gateway, "/metrics", { key: adminKey })).text()
    expect(metrics).toContain('gateway_adapted_total{parameter="anthropic-beta"}')
    expect(metrics).not.toContain("never-heard-of")
  })
})

describe("the operator's choice of betas", () => {
  it("wins over the table: what it allows is sent, what it does not goes with its fields", async () => {
    const { text } = await ask("allowing", unscoped, ["effort-2025-11-24", "context-management-2025-06-27"])
    // Vertex refuses it all the same, and that is the operator's to read.
    expect(text).toContain("Unexpected value(s) `effort-2025-11-24`")
    const { betas, body } = await last("allowing")
    expect(betas).toEqual(["effort-2025-11-24"])
    expect(body).not.toHaveProperty("context_management")
  })

  it("takes away from the table", async () => {
    const { adapted, status } = await ask("dropping", asked, ofClaudeCode)
    expect(status).toBe(200)
    expect(adapted).toContain("context_management")
    const { betas, body } = await last("dropping")
    expect(betas).toEqual(["effort-2025-11-24"])
    expect(body).not.toHaveProperty("context_management")
  })

  it("names the model behind a deployment, whose generation decides", async () => {
    await ask("deployed", asked, ofClaudeCode)
    const { betas, body } = await last("deployed")
    expect(betas).toContain("claude-code-20250219")
    expect(body.anthropic_version).toBe("bedrock-2023-05-31")
  })
})

it("the version of models up to 4.6 at InvokeModel is the one that AWS documents", async () => {
  await ask("invoke", unscoped, ["context-management-2025-06-27"])
  expect((await last("invoke")).body.anthropic_version).toBe("2026-10-21")
  await ask("invoke-old", unscoped, ["context-management-2025-06-27"])
  expect((await last("invoke-old")).body.anthropic_version).toBe("bedrock-2023-05-31")
})
