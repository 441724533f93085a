import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { CreateCompletion } from "../../../src/chat/Request.ts"
import { CreateMessage } from "../../../src/messages/Request.ts"
import { CreateResponse } from "../../../src/responses/CreateResponse.ts"
import type { World } from "./world.ts"
import { models, protocols, startWorld } from "./world.ts"

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.dispose())

/** Fields that the gateway itself serves, and those that say nothing to a model: they never reach an upstream. */
const gateways = Symbol("the gateway's")

const said = { role: "user", content: "play:text" }
const parameters = { type: "object", properties: {}, required: [], additionalProperties: false }
const schema = { type: "object", properties: { a: { type: "string" } }, required: ["a"], additionalProperties: false }

interface Family {
  readonly path: string
  readonly own: (typeof protocols)[number]
  readonly fields: Readonly<Record<string, unknown>>
  readonly base: Readonly<Record<string, unknown>>
  /** A value of each field that asks for something, with the fields that it needs beside it. */
  readonly samples: Readonly<Record<string, unknown>>
}

const chatTool = { type: "function", function: { name: "f", parameters } }
const responsesTool = { type: "function", name: "f", parameters, strict: false }
const messagesTool = { name: "f", input_schema: parameters }

const families: Readonly<Record<string, Family>> = {
  messages: {
    path: "/v1/messages",
    own: "anthropic-messages",
    fields: CreateMessage.fields,
    base: { max_tokens: 4_000, messages: [said] },
    samples: {
      model: gateways,
      stream: gateways,
      async: gateways,
      max_tokens: 3_000,
      messages: [{ role: "user", content: "Hello play:text" }],
      system: "Be brief.",
      temperature: 0.5,
      top_p: 0.5,
      top_k: 5,
      stop_sequences: ["END"],
      tools: [messagesTool],
      tool_choice: { tool_choice: { type: "any" }, tools: [messagesTool] },
      thinking: { type: "enabled", budget_tokens: 2_000 },
      thread: gateways,
      metadata: { user_id: "u" },
      output_config: { effort: "low", task_budget: { type: "tokens", total: 50_000 } },
      output_format: { type: "json_schema", schema },
      cache_control: { type: "ephemeral" }
    }
  },
  responses: {
    path: "/v1/responses",
    own: "openai-responses",
    fields: CreateResponse.fields,
    base: { input: [said] },
    samples: {
      model: gateways,
      stream: gateways,
      background: gateways,
      previous_response_id: gateways,
      store: gateways,
      truncation: gateways,
      metadata: gateways,
      input: [{ role: "user", content: "Hello play:text" }],
      instructions: "Be brief.",
      include: ["message.output_text.logprobs"],
      max_output_tokens: 3_000,
      max_tool_calls: 2,
      temperature: 0.5,
      top_p: 0.5,
      tools: [responsesTool],
      tool_choice: { tool_choice: "required", tools: [responsesTool] },
      parallel_tool_calls: { parallel_tool_calls: false, tools: [responsesTool] },
      reasoning: { effort: "high" },
      text: { format: { type: "json_object" }, verbosity: "low" },
      user: "u",
      safety_identifier: "u",
      prompt_cache_key: "k",
      prompt_cache_retention: "24h",
      service_tier: "priority",
      top_logprobs: 3,
      conversation: "conv_1",
      prompt: { id: "pmpt_1" }
    }
  },
  chat: {
    path: "/v1/chat/completions",
    own: "openai-chat",
    fields: CreateCompletion.fields,
    base: { messages: [said] },
    samples: {
      model: gateways,
      stream: gateways,
      stream_options: gateways,
      metadata: gateways,
      store: gateways,
      n: gateways,
      messages: [{ role: "user", content: "Hello play:text" }],
      tools: [chatTool],
      tool_choice: { tool_choice: "required", tools: [chatTool] },
      parallel_tool_calls: { parallel_tool_calls: false, tools: [chatTool] },
      functions: [{ name: "f", parameters }],
      function_call: { function_call: { name: "f" }, functions: [{ name: "f", parameters }] },
      response_format: { type: "json_object" },
      reasoning_effort: "high",
      max_tokens: 3_000,
      max_completion_tokens: 3_000,
      temperature: 0.5,
      top_p: 0.5,
      frequency_penalty: 1,
      presence_penalty: 1,
      stop: "END",
      seed: 7,
      logit_bias: { 1: 5 },
      logprobs: true,
      top_logprobs: 3,
      prediction: { type: "content", content: "a" },
      modalities: ["text", "audio"],
      audio: { voice: "alloy", format: "wav" },
      verbosity: "low",
      service_tier: "priority",
      moderation: { model: "m" },
      user: "u",
      safety_identifier: "u",
      prompt_cache_key: "k",
      prompt_cache_retention: "24h",
      prompt_cache_options: { mode: "explicit" },
      web_search_options: {}
    }
  }
}

/** Found by the gateway in the text, because this dialect has no such field. */
const stops = new Set(["stop", "stop_sequences"])

/** Samples that hold more than the field itself. */
const fieldsOf = (name: string, sample: unknown): Readonly<Record<string, unknown>> =>
  typeof sample === "object" && sample !== null && name in sample ? { ...sample } : { [name]: sample }

const asked = async ({ base, path }: Family, protocol: (typeof protocols)[number], fields: object, strict = false) => {
  const response = await fetch(`${world.gateway.url}${path}`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${world.gateway.key}`,
      "content-type": "application/json",
      ...(strict && { "x-gateway-strict": "true" })
    },
    body: JSON.stringify({ model: models[protocol], ...base, ...fields })
  })
  const text = await response.text()
  const named = response.headers.get("x-gateway-adapted") ?? ""
  return { status: response.status, text, named, sent: JSON.stringify(world.asked(protocol)?.body) }
}

describe.each(Object.entries(families))("%s", (_, family) => {
  it("has a sample of every field of its contract", () => {
    expect(Object.keys(family.fields).filter((name) => !(name in family.samples))).toEqual([])
  })

  describe.each(protocols.filter((protocol) => protocol !== family.own))("to %s", (protocol) => {
    const samples = Object.entries(family.samples).filter(([, sample]) => sample !== gateways)

    it.each(samples)("%s is carried, named or refused", async (name, sample) => {
      const fields = fieldsOf(name, sample)
      const { [name]: _, ...without } = fields
      const before = await asked(family, protocol, without)
      const { named, sent, status, text } = await asked(family, protocol, fields)
      if (status === 400) return expect(text).toContain(name)
      expect([status, text]).toEqual([200, text])
      const isCarried = sent !== before.sent || (protocol === "openai-responses" && stops.has(name))
      expect([name, isCarried || named !== before.named]).toEqual([name, true])
      if (isCarried || named === before.named) return
      // What is left out is refused where nothing may be lost.
      expect((await asked(family, protocol, fields, true)).status).toBe(400)
    })
  })
})

const part = (more: object) => ({
  messages: [{ role: "user", content: [{ type: "text", text: "play:text", ...more }] }]
})
const input = (more: object) => ({
  input: [{ role: "user", content: [{ type: "input_text", text: "play:text", ...more }] }]
})
const image_url = { url: "https://example.com/a.png" }
const sealed = { type: "reasoning.encrypted", data: "d", format: "model-gateway:another" }

/** Fields within others that have no place in another dialect. */
const inner: ReadonlyArray<readonly [keyof typeof families, (typeof protocols)[number], object, string | null]> = [
  ["chat", "openai-responses", part({ cache_control: { type: "ephemeral" } }), "cache_control"],
  ["chat", "anthropic-messages", part({ cache_control: { type: "ephemeral", ttl: "1h" } }), null],
  [
    "chat",
    "anthropic-messages",
    {
      messages: [
        said,
        { role: "user", content: [{ type: "image_url", image_url, cache_control: { type: "ephemeral", ttl: "1h" } }] }
      ]
    },
    null
  ],
  [
    "chat",
    "openai-responses",
    {
      messages: [
        said,
        { role: "user", content: [{ type: "image_url", image_url, cache_control: { type: "ephemeral" } }] }
      ]
    },
    "cache_control"
  ],
  ["chat", "anthropic-messages", part({ prompt_cache_breakpoint: { mode: "explicit" } }), "prompt_cache_breakpoint"],
  [
    "responses",
    "anthropic-messages",
    input({ prompt_cache_breakpoint: { mode: "explicit" } }),
    "prompt_cache_breakpoint"
  ],
  ["responses", "openai-chat", input({ prompt_cache_breakpoint: { mode: "explicit" } }), "prompt_cache_breakpoint"],
  [
    "messages",
    "openai-responses",
    { output_config: { task_budget: { type: "tokens", total: 9 } } },
    "output_config.task_budget"
  ],
  [
    "responses",
    "anthropic-messages",
    { tools: [{ type: "web_search", external_web_access: false }] },
    "tools[].external_web_access"
  ],
  ["responses", "anthropic-messages", { access_programs: ["a"] }, "access_programs"],
  ["responses", "openai-chat", { reasoning: { effort: "xhigh" } }, "reasoning.effort"],
  ["messages", "openai-responses", { output_config: { effort: "max" } }, "reasoning.effort"],
  [
    "chat",
    "anthropic-messages",
    { messages: [said, { role: "assistant", content: "Hi", reasoning_details: [sealed] }, said] },
    "reasoning"
  ]
]

describe("a field within another", () => {
  it.each(inner)("%s to %s: %j is named %s", async (name, protocol, fields, expected) => {
    const family = families[name]
    if (family === undefined) throw new Error("no such family")
    const { named, sent, status, text } = await asked(family, protocol, fields)
    expect([status, text]).toEqual([200, text])
    expect(named).toBe(expected ?? "")
    if (expected === null) expect(sent).toContain('"ttl":"1h"')
    else expect((await asked(family, protocol, fields, true)).status).toBe(400)
  })
})
