import type Anthropic from "@anthropic-ai/sdk"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import type OpenAI from "openai"
import type { Asked, DialectName } from "../../upstreams/fakes/fakeUpstream.ts"
import { dialects } from "../../upstreams/fakes/fakeUpstream.ts"
import { spoken } from "../../upstreams/fakes/scenarios.ts"
import type { World } from "./world.ts"
import { models, protocols, startWorld, usualYaml } from "./world.ts"

let world: World
beforeAll(async () => {
  world = await startWorld({
    fake: { answer: callingTools },
    // Codex always offers web search: somebody has to do it for an upstream that can't.
    yaml: (urls) => {
      const usual = JSON.parse(usualYaml(urls))
      return JSON.stringify({ ...usual, search: { provider: "searxng", base_url: "http://127.0.0.1:1" } })
    }
  })
})
afterAll(() => world.dispose())

const patch = '*** Begin Patch\n*** Add File: a.txt\n+hello "you"\n*** End Patch'

/** `play:patch` and `play:namespaced`: the agent's own tools are called, by the names that the upstream was told. */
const callingTools = ({ path, body }: Asked): Response | undefined => {
  const played = [...JSON.stringify(body).matchAll(/play:([a-z-]+)/g)].at(-1)?.[1]
  if (played !== "patch" && played !== "namespaced") return undefined
  const protocol = protocols.find((name) => dialects[name].path === path)!
  const dialect = dialects[protocol]
  const isCustom = played === "patch"
  const native = protocol === "openai-responses"
  const name = isCustom ? "apply_patch" : native ? "list_events" : "mcp__calendar__list_events"
  const input = JSON.stringify(isCustom ? { input: patch } : { day: "today" })
  const text = (json: unknown): unknown => {
    const renamed = JSON.parse(JSON.stringify(json).replaceAll('"get_weather"', JSON.stringify(name)))
    return native ? asResponses(renamed, isCustom) : renamed
  }
  if (body.stream !== true) {
    const whole = JSON.stringify(text(dialect.answer("tools", body.model, 5)))
    return new Response(
      protocol === "anthropic-messages"
        ? whole.replace('{"city":"Paris"}', input)
        : whole.replace(JSON.stringify('{"city":"Paris"}'), JSON.stringify(native && isCustom ? patch : input)),
      { headers: { "content-type": "application/json" } }
    )
  }
  const frames = dialect.frames("tools", body.model, 5).map((frame) => text(frame))
  let told = false
  const events = frames.map((frame) => {
    const { type } = frame as { type?: string }
    const json = JSON.stringify(frame)
      .replaceAll(JSON.stringify('{"city":"Paris"}'), JSON.stringify(native && isCustom ? patch : input))
      // The pieces of the arguments: the first holds all of it.
      .replace(/("(?:partial_json|arguments|delta)":)("(?:[^"\\]|\\.)*")/g, (all, key: string, value: string) => {
        if (value === '""' || /Begin Patch|today|input/.test(value)) return all
        const piece = told ? "" : native && isCustom ? patch : input
        told = true
        return key + JSON.stringify(piece)
      })
    return `${dialect.named ? `event: ${type}\n` : ""}data: ${json}\n\n`
  })
  return new Response(events.join("") + dialect.end, { headers: { "content-type": "text/event-stream" } })
}

/** OpenAI tells a namespace in a field of its own, and has calls of free text. */
const asResponses = (json: unknown, isCustom: boolean): unknown =>
  JSON.parse(
    isCustom
      ? JSON.stringify(json)
          .replaceAll('"function_call"', '"custom_tool_call"')
          .replaceAll('"fc_51"', '"ctc_51"')
          .replaceAll(/"arguments":/g, '"input":')
          .replaceAll("response.function_call_arguments", "response.custom_tool_call_input")
      : JSON.stringify(json).replaceAll('"name":"list_events"', '"name":"list_events","namespace":"mcp__calendar"')
  )

const object = (properties: object, required: ReadonlyArray<string> = []) => ({
  type: "object",
  properties,
  required,
  additionalProperties: false
})

/** A request as Codex sends it. */
const codex = (model: string, input: ReadonlyArray<unknown>) => ({
  model,
  instructions: "You are Codex, a coding agent running in a terminal.",
  input,
  tools: [
    {
      type: "function",
      name: "exec_command",
      description: "Runs a command in a PTY.",
      strict: false,
      parameters: object({ cmd: { type: "string" }, yield_time_ms: { type: "number" } }, ["cmd"])
    },
    {
      type: "custom",
      name: "apply_patch",
      description: "Use the `apply_patch` tool to edit files.",
      format: { type: "grammar", syntax: "lark", definition: "start: begin_patch hunk+ end_patch" }
    },
    {
      type: "namespace",
      name: "mcp__calendar",
      description: "Tools of the calendar server",
      tools: [
        {
          type: "function",
          name: "list_events",
          description: "Lists events",
          strict: false,
          parameters: object({ day: { type: "string" } })
        }
      ]
    },
    { type: "web_search", external_web_access: false },
    { type: "image_generation", output_format: "png" },
    { type: "tool_search", execution: "client", description: "Finds tools", parameters: object({}) }
  ],
  tool_choice: "auto",
  parallel_tool_calls: true,
  reasoning: { effort: "medium", summary: "auto" },
  store: false,
  stream: true,
  include: ["reasoning.encrypted_content"],
  prompt_cache_key: "0199c0de-0000-7000-8000-000000000000",
  text: { verbosity: "low" },
  client_metadata: { "x-codex-installation-id": "0199c0de" }
})

const opening = (text: string) => [
  {
    type: "message",
    role: "developer",
    content: [{ type: "input_text", text: "<permissions instructions>ask first</permissions instructions>" }]
  },
  {
    type: "message",
    role: "user",
    content: [{ type: "input_text", text: "<environment_context>\n  <cwd>/home</cwd>\n</environment_context>" }]
  },
  { type: "message", role: "user", content: [{ type: "input_text", text }] }
]

/** As Codex reads a stream: items when they are done, and nothing is over before `response.completed`. */
const readAsCodex = async (body: unknown) => {
  const response = await fetch(`${world.gateway.url}/v1/responses`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${world.gateway.key}`,
      "content-type": "application/json",
      accept: "text/event-stream",
      originator: "codex_cli_rs"
    },
    body: JSON.stringify(body)
  })
  const text = await response.text()
  expect([response.status, response.status === 200 ? "" : text]).toEqual([200, ""])
  const frames = text
    .split("\n\n")
    .filter((frame) => frame !== "" && !frame.startsWith(":"))
    .map((frame) => {
      const [, event, data] = /^event: (.+)\ndata: (.+)$/.exec(frame)!
      const json = JSON.parse(data!)
      expect(json.type).toBe(event)
      return json
    })
  expect(frames.map((frame) => frame.sequence_number)).toEqual(frames.map((_, index) => index))
  expect(frames[0].type).toBe("response.created")
  expect(frames.at(-1).type).toBe("response.completed")
  return {
    items: frames.flatMap((frame) => (frame.type === "response.output_item.done" ? [frame.item] : [])),
    final: frames.at(-1).response as OpenAI.Responses.Response,
    adapted: response.headers.get("x-gateway-adapted")
  }
}

const nativeOf = { messages: "anthropic-messages", responses: "openai-responses" } as const

/** Fields of Codex's requests that are left out for upstreams of other dialects. */
const lostOfCodex: Partial<Record<DialectName, string>> = {
  "anthropic-messages": "tools[].format, tools.image_generation, text.verbosity",
  "openai-chat": "tools[].format, prompt_cache_key, tools.image_generation, text.verbosity"
}

describe.each(protocols)("Codex on %s", (protocol) => {
  const model = models[protocol]

  it("runs a turn of reasoning, a patch, a namespace's tool and a last word, with nothing stored", async () => {
    const input: Array<unknown> = opening("Fix it. play:reasoning-tools")
    // Its own calls go back as they were told, without ids.
    const step = async () => {
      const turn = await readAsCodex(codex(model, input))
      input.push(...turn.items.map((item) => ({ ...item, id: undefined, status: undefined })))
      return turn
    }
    const answer = (item: { type: string; call_id: string }, output: string) =>
      input.push({ type: `${item.type}_output`, call_id: item.call_id, output })

    const first = await step()
    expect(first.items.map(({ type }) => type)).toEqual(["reasoning", "function_call"])
    expect(first.items[0].encrypted_content).toMatch(/.{8}/)
    expect(first.adapted).toBe(lostOfCodex[protocol] ?? null)
    answer(first.items[1], "ok play:patch")

    const second = await step()
    expect(second.items).toMatchObject([{ type: "custom_tool_call", name: "apply_patch", input: patch }])
    expect(second.final.output).toMatchObject([{ type: "custom_tool_call", input: patch }])
    answer(second.items[0], "Success. play:namespaced")

    const third = await step()
    expect(third.items).toMatchObject([
      { type: "function_call", name: "list_events", namespace: "mcp__calendar", arguments: '{"day":"today"}' }
    ])
    answer(third.items[0], "[] play:reasoning")

    const whole = JSON.parse(JSON.stringify(codex("gpt-5.1", input)))
    const last = await step()
    expect(last.items.at(-1)).toMatchObject({ type: "message", content: [{ text: spoken.text }] })
    expect(last.final.usage).toMatchObject({ input_tokens: 20, output_tokens: 8 })

    const { body } = world.asked(protocol)
    const sent = JSON.stringify(body)
    for (const text of ["You are Codex", "ask first", "<cwd>", "ok play:patch", "Success.", "Begin Patch"]) {
      expect(sent).toContain(text)
    }
    if (protocol === nativeOf.responses) {
      expect(body).toEqual(whole)
    } else {
      expect(sent).toContain("mcp__calendar__list_events")
      expect(sent).toContain("start: begin_patch")
    }
  })

  it("by the official client, whole too", async () => {
    const body = codex(model, opening("Fix it. play:patch"))
    const whole = await world.openai.responses.create({ ...body, stream: false } as never)
    const streamed = await world.openai.responses.stream(body as never).finalResponse()
    const expected = [{ type: "custom_tool_call", name: "apply_patch", input: patch }]
    expect((whole as OpenAI.Responses.Response).output).toMatchObject(expected)
    expect(streamed.output).toMatchObject(expected)
  })
})

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
      protocol === nativeOf.messages ? null : "context_management, tools[].eager_input_streaming, cache_control"
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
    switch (protocol) {
      case "anthropic-messages":
        expect(sentHeaders["anthropic-beta"]).toBe(betas)
        expect(body).toEqual({ ...claudeCode("claude-sonnet-4-5", messages), stream })
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
      expect(sent).toEqual({ ...body, model: "claude-sonnet-4-5", stream: false })
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
