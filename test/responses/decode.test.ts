import { describe, expect, it } from "@effect/vitest"
import { withOrigin } from "../../src/generation/origin.ts"
import type { InputItem } from "../../src/responses/InputItem.ts"
import { seal } from "../../src/responses/seal.ts"
import { conversation, entries, toolbox } from "./request.ts"

const user = (...content: ReadonlyArray<unknown>) => ({ input: [{ role: "user", content }] })
const part = (content: object) => {
  const [item] = conversation(user(content)).items
  return item?.type === "message" ? item.content[0] : undefined
}

describe("input", () => {
  it("as a text is one user message; instructions come before it", () => {
    const { items, system } = conversation({ input: "hi", instructions: "Be kind." })
    expect(system).toEqual(["Be kind."])
    expect(items).toEqual([{ type: "message", role: "user", content: [{ type: "text", text: "hi" }] }])
  })

  it("keeps every kind of item in order", () => {
    const { items } = conversation({
      input: [
        { role: "developer", content: "d" },
        { type: "message", id: "msg_x", role: "user", status: "completed", content: "u" },
        { type: "web_search_call", id: "ws_1", status: "completed", action: { type: "search", query: "q" } },
        { role: "assistant", content: [{ type: "output_text", text: "a", annotations: [] }] },
        { role: "assistant", content: [{ type: "refusal", refusal: "no" }] },
        { type: "function_call", call_id: "c1", name: "f", arguments: "{}" },
        { type: "custom_tool_call", call_id: "c2", name: "g", input: "x", namespace: "ns" },
        { type: "function_call_output", call_id: "c1", output: "r1" },
        { type: "custom_tool_call_output", call_id: "c2", output: [{ type: "input_text", text: "r2" }] }
      ]
    })
    const text = (text: string) => [{ type: "text", text }]
    expect(items).toEqual([
      { type: "message", role: "system", content: text("d") },
      { type: "message", role: "user", content: text("u") },
      { type: "search", id: "ws_1", query: "q", outcome: undefined },
      { type: "message", role: "assistant", content: text("a") },
      { type: "message", role: "assistant", content: [{ type: "refusal", text: "no" }] },
      { type: "tool-call", callId: "c1", name: "f", arguments: "{}", kind: "function" },
      { type: "tool-call", callId: "c2", name: "ns__g", arguments: "x", kind: "custom" },
      { type: "tool-result", callId: "c1", content: text("r1"), isError: false },
      { type: "tool-result", callId: "c2", content: text("r2"), isError: false }
    ])
  })

  it("comes after the chain that it continues", () => {
    const history: ReadonlyArray<InputItem> = [{ role: "user", content: "before" }]
    expect(conversation({ input: "after" }, history).items).toMatchObject([
      { content: [{ text: "before" }] },
      { content: [{ text: "after" }] }
    ])
  })

  it("knows who made reasoning: what it sealed itself says so, and OpenAI's has a form of its own", () => {
    const origin = { by: "anthropic", model: "claude" }
    const known = { text: "hm", signature: withOrigin(origin, "sig"), redacted: undefined }
    const foreign = (signature = "") => ({ type: "reasoning", text: "", signature, redacted: undefined })
    const reasoning = (encrypted_content: string | null) => ({
      type: "reasoning",
      id: "rs_1",
      summary: [],
      encrypted_content
    })
    const { items } = conversation({
      model: "m",
      input: [
        reasoning(seal("m", known)),
        reasoning(seal("other", known)),
        reasoning("gAAAAAofOpenAI"),
        reasoning("EqQBofAnthropic"),
        reasoning(`${seal("m", known).slice(0, 9)}broken`),
        reasoning(null),
        { role: "user", content: "hi" }
      ]
    })
    expect(items).toEqual([
      { type: "reasoning", text: "hm", signature: "sig", redacted: undefined, origin },
      foreign(),
      { ...foreign("gAAAAAofOpenAI"), origin: { by: "openai" } },
      foreign("EqQBofAnthropic"),
      foreign(),
      expect.objectContaining({ type: "message" })
    ])
  })
})

describe("files", () => {
  const pdf = Buffer.from("%PDF-1.7").toString("base64")
  const base64 = (mediaType: string, data = pdf) => ({ type: "base64", mediaType, data })

  it.each([
    ["a data URL", { file_data: `data:application/pdf;base64,${pdf}` }, base64("application/pdf")],
    ["bare base64 with a name", { file_data: pdf, filename: "a.CSV" }, base64("text/csv")],
    ["bare base64 without one, by its first bytes", { file_data: pdf }, base64("application/pdf")],
    ["bare base64 that says nothing", { file_data: "aGk=" }, base64("application/octet-stream", "aGk=")],
    [
      "a data URL without a kind, by its name",
      { file_data: `data:application/octet-stream;base64,${pdf}`, filename: "a.md" },
      base64("text/markdown")
    ],
    ["a URL", { file_url: "https://a.b/c.pdf" }, { type: "url", url: "https://a.b/c.pdf" }],
    ["an id", { file_id: "file_1" }, { type: "file", id: "file_1" }]
  ])("come as %s", (_, fields, source) => {
    const name = "filename" in fields ? fields.filename : undefined
    expect(part({ type: "input_file", ...fields })).toEqual({ type: "document", source, name })
  })

  it("that are images are images", () => {
    expect(part({ type: "input_file", file_data: "data:image/png;base64,aGk=" })).toEqual({
      type: "image",
      source: base64("image/png", "aGk="),
      detail: "auto"
    })
  })

  it.each([
    ["https://a.b/c.png", { type: "url", url: "https://a.b/c.png" }],
    ["data:image/PNG;base64,aGk=", base64("image/png", "aGk=")]
  ])("images come from %s", (image_url, source) => {
    expect(part({ type: "input_image", image_url, detail: "low" })).toEqual({ type: "image", source, detail: "low" })
  })
})

describe("tools", () => {
  const f = { type: "function", name: "f", parameters: { type: "object" } }
  const namespace = { type: "namespace", name: "crm", tools: [{ type: "function", name: "find" }] }

  it("echoes a function with all that its schema has: null where the request left it out", () => {
    const bare = { type: "function", name: "bare" }
    const whole = { ...bare, description: "Finds", parameters: { type: "object" }, strict: false }
    const nothing = { description: null, parameters: null, strict: null }
    const tools = [bare, whole, { ...bare, name: "other", ...nothing }, { ...namespace, tools: [bare, whole] }]
    expect(entries({ tools })).toEqual([
      { ...bare, ...nothing },
      whole,
      { ...bare, name: "other", ...nothing },
      { ...namespace, tools: [{ ...bare, ...nothing }, whole] }
    ])
  })

  it("of a namespace get flat names, and their own back", () => {
    const { namespaced, tools } = toolbox({ tools: [f, namespace] })
    expect(tools.map((tool) => tool.name)).toEqual(["f", "crm__find"])
    expect(namespaced.get("crm__find")).toEqual({ namespace: "crm", name: "find" })
  })

  const search = { type: "tool_search", execution: "client", description: "Finds tools" }

  it("are added by items wherever they stand, the last of a name instead of those before it", () => {
    const other = { ...f, description: "another" }
    const fields = {
      tools: [f],
      input: ["hi", { type: "additional_tools", role: "developer", tools: [namespace, other] }].map((item) =>
        typeof item === "string" ? { role: "user", content: item } : item
      )
    }
    const history = [{ type: "additional_tools", tools: [{ type: "custom", name: "exec" }] } as const]
    expect(conversation(fields, history).tools).toMatchObject([
      { type: "function", name: "f", description: "another" },
      { type: "custom", name: "exec" },
      { type: "function", name: "crm__find" }
    ])
    expect(entries(fields)).toHaveLength(1)
  })

  it("that the caller searches for are a function of a name that no other has", () => {
    const { nameOf, tools } = toolbox({ tools: [search] })
    expect(tools).toMatchObject([{ type: "function", name: nameOf("tool_search_call"), description: "Finds tools" }])
    const taken = toolbox({ tools: [search, { ...f, name: "tool_search" }], tool_choice: { type: "tool_search" } })
    expect(taken.tools.map(({ name }) => name)).toEqual(["tool_search", "tool_search_"])
    expect(taken.choice).toEqual({ type: "tool", name: "tool_search_" })
    expect(entries({ tools: [search] })).toEqual([search])
  })

  it("that the caller found are there, and told in the answer to the search", () => {
    const call = { type: "tool_search_call", call_id: "c", execution: "client", arguments: { query: "crm" } }
    const output = { type: "tool_search_output", call_id: "c", execution: "client", tools: [namespace, f] }
    const { items, tools } = conversation({ tools: [search], input: [call, output] })
    expect(tools.map(({ name }) => name)).toEqual(["crm__find", "f", "tool_search"])
    expect(items).toMatchObject([
      { type: "tool-call", callId: "c", name: "tool_search", arguments: '{"query":"crm"}' },
      { type: "tool-result", callId: "c", content: [{ text: expect.stringContaining("- crm__find\n- f") }] }
    ])
  })

  it("that the upstream searches for are all shown", () => {
    const server = { call_id: null, execution: "server" }
    const input = [
      { role: "user", content: "hi" },
      { type: "tool_search_call", ...server, arguments: {} },
      { type: "tool_search_output", ...server, tools: [namespace] }
    ]
    const { items, tools } = conversation({ tools: [{ type: "tool_search" }, f], input })
    expect(tools.map(({ name }) => name)).toEqual(["f", "crm__find"])
    expect(items).toHaveLength(1)
  })

  it("of OpenAI's that are not served are left out where the model is free to choose", () => {
    const fields = {
      tools: [{ type: "image_generation" }, f, { type: "shell", environment: { type: "container_auto" } }]
    }
    expect(toolbox(fields).tools.map((tool) => tool.name)).toEqual(["f"])
    expect(entries(fields)).toHaveLength(1)
  })

  it.each(["web_search", "web_search_2025_08_26", "web_search_preview", "web_search_preview_2025_03_11"])(
    "%s is a web search, with either spelling of its filters",
    (type) => {
      const search = { type: "search", name: "web_search", allowedDomains: ["a.com"], maxUses: 2 }
      const domains = { allowed_domains: ["a.com"] }
      for (const spelling of [{ filters: domains }, { filter: domains }, { filter: domains, filters: null }]) {
        const fields = { max_tool_calls: 2, tools: [{ type, ...spelling }] }
        expect(toolbox(fields).tools).toMatchObject([search])
        expect(entries(fields)).toEqual([
          { type, filters: domains, search_context_size: "medium", user_location: null }
        ])
      }
    }
  )

  it.each([
    ["none", { type: "none" }],
    ["required", { type: "required", names: undefined }],
    [
      { type: "function", name: "f" },
      { type: "tool", name: "f" }
    ],
    [
      { type: "function", name: "find", namespace: "crm" },
      { type: "tool", name: "crm__find" }
    ],
    [
      { type: "function", name: "crm.find" },
      { type: "tool", name: "crm__find" }
    ],
    [{ type: "web_search_preview" }, { type: "tool", name: "web_search" }],
    [
      { type: "allowed_tools", mode: "required", tools: [{ type: "function", name: "f" }, { type: "web_search" }] },
      { type: "required", names: ["f", "web_search"] }
    ]
  ])("are chosen by %j", (tool_choice, choice) => {
    expect(toolbox({ tools: [f, namespace, { type: "web_search" }], tool_choice }).choice).toEqual(choice)
  })

  it("allowed without being required are the only ones there", () => {
    const tool_choice = { type: "allowed_tools", mode: "auto", tools: [{ type: "function", name: "f" }] }
    const { choice, tools } = toolbox({ tools: [f, namespace], tool_choice })
    expect([tools.map((tool) => tool.name), choice]).toEqual([["f"], { type: "auto" }])
  })
})

it("text.format asks for JSON, by a schema or without one", () => {
  const format = (format: object) => conversation({ text: { format } }).format
  expect(format({ type: "json_object" })).toEqual({ type: "json" })
  expect(format({ type: "json_schema", name: "n", schema: { type: "object" }, strict: true })).toEqual({
    type: "json-schema",
    name: "n",
    description: undefined,
    schema: { type: "object" },
    strict: true
  })
})
