import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import type OpenAI from "openai"
import type { DialectName } from "../../upstreams/fakes/fakeUpstream.ts"
import { spoken } from "../../upstreams/fakes/scenarios.ts"
import type { World } from "./world.ts"
import { models, protocols, startWorld, usualYaml } from "./world.ts"
import { request } from "../../request.ts"
import { nativeOf, object, patch } from "./agentRequests.ts"
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
  const response = await request(world.gateway, "/v1/responses", {
    body,
    headers: { accept: "text/event-stream", originator: "codex_cli_rs" }
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

/** Fields of Codex's requests that are left out for upstreams of other dialects. */
const lostOfCodex: Partial<Record<DialectName, string>> = {
  "anthropic-messages":
    "tools[].format, tools.image_generation, tools[].external_web_access, tools[].description, text.verbosity",
  "openai-chat":
    "prompt_cache_key, tools[].format, tools.image_generation, tools[].external_web_access, tools[].description, text.verbosity"
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
