import type Anthropic from "@anthropic-ai/sdk"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { spoken } from "../../upstreams/fakes/scenarios.ts"
import type { World } from "./world.ts"
import { models, protocols, startWorld, usualYaml } from "./world.ts"
import { nativeOf, object } from "./agentRequests.ts"
import { callingTools } from "./calledTools.ts"

let world: World

beforeAll(async () => {
  world = await startWorld({
    fake: { answer: callingTools },
    // Codex always offers web search: the gateway does it for an upstream that can't.
    yaml: (urls) => {
      const usual = JSON.parse(usualYaml(urls))
      return JSON.stringify({ ...usual, search: { provider: "searxng", base_url: "http://127.0.0.1:1" } })
    }
  })
})

afterAll(() => world.dispose())

const cached = { cache_control: { type: "ephemeral" as const, ttl: "1h" as const } }

/** A request as Claude Code sends it. */
const claudeCode = (model: string, messages: ReadonlyArray<unknown>) => ({
  model,
  messages,
  system: [
    { type: "text", text: "x-anthropic-billing-header: cc_version=2.1.329" },
    { type: "text", text: "You are Claude Code, Anthropic's official CLI for Claude.", ...cached },
    { type: "text", text: "\n# Environment\n - Platform: linux", ...cached }
  ],
  tools: [
    {
      name: "Bash",
      description: "Executes a given bash command.",
      input_schema: {
        $schema: "https://json-schema.org/draft/2020-12/schema",
        ...object({ command: { type: "string" }, timeout: { type: "number" } }, ["command"])
      },
      eager_input_streaming: true
    },
    { name: "get_weather", description: "", input_schema: object({ city: { type: "string" } }, ["city"]), ...cached }
  ],
  metadata: { user_id: '{"device_id":"d","account_uuid":"","session_id":"s"}' },
  max_tokens: 32_000,
  thinking: { type: "adaptive", display: "omitted" },
  context_management: { edits: [{ type: "clear_thinking_20251015", keep: "all" }] },
  output_config: { effort: "medium" }
})

const updates = "thinking-display-updates-2026-08-18"
const betas = "claude-code-20250219,interleaved-thinking-2025-05-14,context-management-2025-06-27"

describe.each(protocols)("Claude Code on %s", (protocol) => {
  const model = models[protocol]
  // The client asks for one where an answer may take long.
  const timeout = 600_000
  const headers = { "anthropic-beta": betas, "x-app": "cli", "anthropic-dangerous-direct-browser-access": "true" }

  it.each([true, false])("runs a turn of thinking, a call and a last word, streamed: %s", async (stream) => {
    const messages: Array<unknown> = [
      {
        role: "user",
        content: [
          { type: "text", text: "<system-reminder>\nAs you answer, use this context.\n</system-reminder>" },
          { type: "text", text: "Fix it. play:reasoning-tools", ...cached }
        ]
      },
      { role: "system", content: "The following skills are available." }
    ]
    let adapted: string | null = null
    const step = async (): Promise<Anthropic.Beta.BetaMessage> => {
      const body = claudeCode(model, messages) as never
      if (!stream) {
        const { data, response } = await world.anthropic.beta.messages.create(body, { headers, timeout }).withResponse()
        adapted = response.headers.get("x-gateway-adapted")
        return data
      }
      const { data, response } = await world.anthropic.beta.messages.stream(body, { headers }).withResponse()
      adapted = response.headers.get("x-gateway-adapted")
      return data.finalMessage()
    }
    const first = await step()
    expect(first.content.map(({ type }) => type)).toEqual(["thinking", "tool_use"])
    expect(first.stop_reason).toBe("tool_use")
    expect(adapted).toBe(
      protocol === nativeOf.messages
        ? "x-anthropic-billing-header"
        : "x-anthropic-billing-header, cache_control, context_management, tools[].eager_input_streaming"
    )
    // Thinking is not shown; an upstream that was asked itself decides.
    if (protocol !== nativeOf.messages) expect(first.content[0]).toMatchObject({ thinking: "" })
    const call = first.content.find((block) => block.type === "tool_use")!
    messages.push(
      { role: "assistant", content: first.content },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: call.id, content: "18 degrees", is_error: false, ...cached },
          { type: "text", text: "<system-reminder>play:reasoning</system-reminder>", ...cached }
        ]
      }
    )
    const last = await step()
    expect(last.content.at(-1)).toMatchObject({ type: "text", text: spoken.text })

    const { body, headers: sentHeaders } = world.asked(protocol)
    const sent = JSON.stringify(body)
    for (const text of ["You are Claude Code", "skills are available", "18 degrees", "system-reminder"]) {
      expect(sent).toContain(text)
    }
    const asAsked = claudeCode("claude-sonnet-4-5", messages)
    switch (protocol) {
      case "anthropic-messages":
        expect(sentHeaders["anthropic-beta"]).toBe(betas)
        expect(body).toEqual({ ...asAsked, system: asAsked.system.slice(1), stream })
        break
      case "openai-responses":
        expect(sent).toContain(spoken.encrypted)
        expect(body.max_output_tokens).toBe(32_000)
        break
      case "openai-chat":
        expect(body.messages.find((message: { tool_calls?: unknown }) => message.tool_calls).reasoning_content).toBe(
          spoken.thought
        )
        expect(body.max_tokens).toBe(32_000)
    }
  })

  it("goes on with a tool that it has searched for, and shows what it thinks in part", async () => {
    const input = { query: "select:WebFetch", max_results: 1 }
    const found = { type: "tool_reference", tool_name: "WebFetch" }
    const messages = [
      { role: "user", content: "Look it up. play:text" },
      { role: "assistant", content: [{ type: "tool_use", id: "toolu_1", name: "ToolSearch", input }] },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "toolu_1", content: [found] },
          { type: "text", text: "Tool loaded." }
        ]
      }
    ]
    const { tools, ...rest } = claudeCode(model, messages)
    const deferred = { name: "WebFetch", description: "", input_schema: object({ url: { type: "string" } }) }
    const body = {
      ...rest,
      tools: [...tools, { ...deferred, defer_loading: true }],
      thinking: { type: "adaptive", display: "updates" }
    }
    const { data, response } = await world.anthropic.beta.messages
      .create(body as never, { headers: { ...headers, "anthropic-beta": `${betas},${updates}` }, timeout })
      .withResponse()
    expect(data.content.at(-1)).toMatchObject({ type: "text", text: spoken.text })
    const { body: sent, headers: sentHeaders } = world.asked(protocol)
    if (protocol === nativeOf.messages) {
      // The billing header stays with Anthropic and its clouds.
      expect(sent).toEqual({ ...body, system: body.system.slice(1), model: "claude-sonnet-4-5", stream: false })
      expect(sentHeaders["anthropic-beta"]).toContain(updates)
    } else {
      expect(JSON.stringify(sent)).toContain("Tool available: WebFetch")
      expect(JSON.stringify(sent.tools)).toContain("WebFetch")
      expect(response.headers.get("x-gateway-adapted")).toContain("thinking.display")
    }
  })

  it("counts the tokens of what it would send", async () => {
    const { max_tokens: _, metadata: _metadata, ...body } = claudeCode(model, [{ role: "user", content: "Hi" }])
    const { input_tokens } = await world.anthropic.beta.messages.countTokens(body as never, { headers })
    expect(input_tokens).toBeGreaterThan(40)
  })

  it("is told at once what is wrong, once", async () => {
    const before = world.fakes[protocol].asked.length
    const body = { ...claudeCode(model, [{ role: "user", content: "Hi" }]), max_tokens: 0 }
    await expect(world.anthropic.beta.messages.create(body as never, { headers, timeout })).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining("max_tokens")
    })
    expect(world.fakes[protocol].asked).toHaveLength(before)
  })
})
