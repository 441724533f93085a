import { describe, expect, it } from "@effect/vitest"
import { understand } from "../../src/chat/decode.ts"
import type { CreateCompletion } from "../../src/chat/Request.ts"
import type { KeptSeals } from "../../src/chat/reasoning.ts"
import { sealReasoning } from "../../src/chat/reasoning.ts"

type Fields = Partial<CreateCompletion>

const hello = [{ role: "user", content: "Hello" }] as const

const conversation = (fields: Fields, kept?: KeptSeals) => {
  const { conversation, objection: objected } = understand(
    { model: "gw-text", messages: hello, ...fields },
    fields,
    kept
  )
  const objection = objected()
  if (objection !== undefined) throw objection
  return conversation
}

const refusal = (fields: Fields): readonly [string | null, string] => {
  const objection = understand({ model: "gw-text", messages: hello, ...fields }, fields).objection()
  if (objection === undefined) throw new Error("accepted")
  return [objection.param, objection.message]
}

const call = (id: string) => ({ id, type: "function", function: { name: "weather", arguments: "{}" } }) as const
const weather = { type: "function", function: { name: "weather" } } as const
const clock = { type: "custom", custom: { name: "clock" } } as const

describe("messages", () => {
  it("are items: system text of either name, calls, their results, reasoning", () => {
    const { items } = conversation({
      messages: [
        { role: "system", content: "Be brief." },
        { role: "developer", content: [{ type: "text", text: "Be kind." }] },
        { role: "user", content: "Weather?" },
        { role: "assistant", content: "", reasoning_content: "Hm.", tool_calls: [call("a"), call("b")] },
        { role: "tool", tool_call_id: "b", content: "Rain" },
        { role: "tool", tool_call_id: "a", content: [{ type: "text", text: "Sun" }] }
      ]
    })
    expect(items.map((item) => (item.type === "message" ? item.role : item.type))).toEqual([
      "system",
      "system",
      "user",
      "reasoning",
      "tool-call",
      "tool-call",
      "tool-result",
      "tool-result"
    ])
    expect(items[6]).toEqual({
      type: "tool-result",
      callId: "b",
      content: [{ type: "text", text: "Rain" }],
      isError: false
    })
  })

  it("carry images and files by address or by their bytes", () => {
    const [item] = conversation({
      messages: [
        {
          role: "user",
          content: [
            { type: "image_url", image_url: { url: "data:image/png;base64,eA==", detail: "low" } },
            { type: "image_url", image_url: { url: "https://a.example/a.png" } },
            { type: "file", file: { file_data: "data:application/pdf;base64,eA==", filename: "a.pdf" } },
            { type: "text", text: "?", cache_control: { type: "ephemeral" } }
          ]
        }
      ]
    }).items
    expect(item).toMatchObject({
      content: [
        { type: "image", source: { type: "base64", mediaType: "image/png", data: "eA==" }, detail: "low" },
        { type: "image", source: { type: "url", url: "https://a.example/a.png" }, detail: "auto" },
        { type: "document", source: { type: "base64", mediaType: "application/pdf" }, name: "a.pdf" },
        { type: "text", text: "?", cacheMark: {} }
      ]
    })
  })

  it("carry cache marks of messages and tools", () => {
    const cache_control = { type: "ephemeral" }
    const hour = { ...cache_control, ttl: "1h" }
    const { items, tools } = conversation({
      tools: [
        { type: "function", function: { name: "f" }, cache_control: hour },
        { type: "custom", custom: { name: "c" }, cache_control },
        { type: "function", function: { name: "g" } }
      ],
      messages: [
        { role: "system", content: "Be brief", cache_control: hour },
        { role: "user", content: "Hello", cache_control },
        { role: "assistant", content: "Hi", tool_calls: [call("a")], cache_control },
        { role: "tool", tool_call_id: "a", content: "Sun", cache_control },
        { role: "user", content: "And now?", cache_control: null }
      ]
    })
    expect(tools.map(({ cacheMark }) => cacheMark)).toEqual([{ ttl: "1h" }, {}, undefined])
    expect(items).toMatchObject([
      { content: [{ cacheMark: { ttl: "1h" } }] },
      { content: [{ cacheMark: {} }] },
      { type: "message" },
      { type: "tool-call", cacheMark: {} },
      { content: [{ cacheMark: {} }] },
      { content: [{ type: "text", text: "And now?" }] }
    ])
    expect(items[2]).toEqual({ type: "message", role: "assistant", content: [{ type: "text", text: "Hi" }] })
  })

  it("give sealed reasoning back to its own model alone", () => {
    const messages = [
      ...hello,
      {
        role: "assistant",
        content: "Hi",
        reasoning_content: "Hm.",
        reasoning_details: [sealReasoning("gw-text", "Hm.", "signed"), { type: "reasoning.text", text: "another's" }]
      },
      ...hello
    ] as const
    const reasoning = (model: string) =>
      conversation({ model, messages }).items.filter(({ type }) => type === "reasoning")
    expect(reasoning("gw-text")).toEqual([{ type: "reasoning", text: "Hm.", signature: "signed", redacted: undefined }])
    expect(reasoning("other")).toEqual([{ type: "reasoning", text: "Hm.", signature: undefined, redacted: undefined }])
  })

  it("have the reasoning that was kept by their call where the client sends none, or only its text", () => {
    const kept = new Map([["a", [sealReasoning("gw-text", "Hm.", "signed")]]])
    const messages = (reasoning: Partial<CreateCompletion["messages"][number]>): CreateCompletion["messages"] => [
      ...hello,
      { role: "assistant", ...reasoning, tool_calls: [call("a"), call("b")] },
      { role: "tool", tool_call_id: "a", content: "Sun" },
      { role: "tool", tool_call_id: "b", content: "Rain" }
    ]
    const reasoning = (sent: CreateCompletion["messages"], model = "gw-text") =>
      conversation({ model, messages: sent }, kept).items.filter(({ type }) => type === "reasoning")
    const whole = [{ type: "reasoning", text: "Hm.", signature: "signed", redacted: undefined }]
    expect(reasoning(messages({}))).toEqual(whole)
    expect(reasoning(messages({ reasoning_content: "Hm." }))).toEqual(whole)
    expect(reasoning(messages({}), "other")).toEqual([])
    const own = messages({ reasoning_details: [sealReasoning("gw-text", "Ho.", "own")] })
    expect(reasoning(own)).toMatchObject([{ text: "Ho.", signature: "own" }])
  })

  it("of old have calls without ids, answered in their order", () => {
    const { items } = conversation({
      messages: [
        ...hello,
        { role: "assistant", function_call: { name: "weather", arguments: "{}" } },
        { role: "function", name: "weather", content: "Sun" }
      ]
    })
    const [, asked, answer] = items
    expect(asked).toMatchObject({ type: "tool-call", name: "weather" })
    expect(answer).toMatchObject({ type: "tool-result", callId: asked?.type === "tool-call" ? asked.callId : "" })
  })

  it.each<readonly [string, CreateCompletion["messages"], string]>([
    ["messages[0].content", [{ role: "user" }], "is required"],
    ["messages[1].content", [...hello, { role: "assistant" }], "is required"],
    ["messages[1].tool_call_id", [...hello, { role: "tool", content: "x" }], "is required"],
    ["messages[1].tool_call_id", [...hello, { role: "tool", content: "x", tool_call_id: "a" }], "no earlier message"],
    ["messages[1].role", [...hello, { role: "function", content: "x" }], "no earlier message"],
    ["messages[2]", [...hello, { role: "assistant", tool_calls: [call("a")] }, ...hello], '"a"'],
    ["messages", [...hello, { role: "assistant", tool_calls: [call("a")] }], '"a"'],
    [
      "messages[0].content[0].image_url.url",
      [{ role: "user", content: [{ type: "image_url", image_url: { url: "a.png" } }] }],
      "a.png"
    ],
    [
      "messages[0].content[0].file.file_data",
      [{ role: "user", content: [{ type: "file", file: {} }] }],
      "unless file_id is given"
    ],
    [
      "messages[0].content[0].file.file_id",
      [{ role: "user", content: [{ type: "file", file: { file_data: "eA==", filename: "a.txt", file_id: "f" } }] }],
      "can't be sent together with file_data"
    ]
  ])("name what is wrong at %s", (param, messages, rule) => {
    expect(refusal({ messages })).toEqual([param, expect.stringContaining(rule)])
  })
})

describe("tools", () => {
  it("have names and places that there are", () => {
    const dotted = { type: "function", function: { name: "get.weather" } } as const
    expect(refusal({ tools: [dotted] })).toEqual([
      "tools[0].function.name",
      'tools[0].function.name: expected 1 to 128 letters, digits, _ or -; got "get.weather"'
    ])
    const at = "web_search_options.user_location.approximate"
    const near = (approximate: object) =>
      refusal({ web_search_options: { user_location: { type: "approximate", approximate } } })[0]
    expect(near({ country: "QQ" })).toBe(`${at}.country`)
    expect(near({ timezone: "Mars/Olympus" })).toBe(`${at}.timezone`)
  })

  it("are chosen among in every way", () => {
    const choice = (tool_choice: CreateCompletion["tool_choice"]) => {
      const { toolChoice, tools } = conversation({ tools: [weather, clock], tool_choice })
      return [toolChoice, tools.map(({ name }) => name)]
    }
    const both = ["weather", "clock"]
    const named = { type: "function", function: { name: "weather" } } as const
    expect(choice(null)).toEqual([{ type: "auto" }, both])
    expect(choice("none")).toEqual([{ type: "none" }, both])
    expect(choice("required")).toEqual([{ type: "required", names: undefined }, both])
    expect(choice(named)).toEqual([{ type: "tool", name: "weather" }, both])
    expect(choice({ type: "custom", custom: { name: "clock" } })).toEqual([{ type: "tool", name: "clock" }, both])
    const allowed = (mode: "auto" | "required") =>
      choice({ type: "allowed_tools", allowed_tools: { mode, tools: [named] } })
    expect(allowed("auto")).toEqual([{ type: "auto" }, ["weather"]])
    expect(allowed("required")).toEqual([{ type: "required", names: ["weather"] }, both])
  })

  it("of old are functions, one call at a time", () => {
    const fields = { functions: [{ name: "weather" }], function_call: { name: "weather" } }
    expect(conversation(fields)).toMatchObject({
      tools: [{ type: "function", name: "weather", parameters: { type: "object", properties: {} } }],
      toolChoice: { type: "tool", name: "weather" },
      parallelToolCalls: false
    })
  })

  it("are named where something is wrong with them", () => {
    const [named] = refusal({ tools: [weather], tool_choice: { type: "function", function: { name: "clock" } } })
    expect(named).toBe("tool_choice")
    expect(refusal({ tool_choice: "required" })[0]).toBe("tool_choice")
    expect(refusal({ tools: [weather, weather] })[0]).toBe("tools[1].function.name")
    expect(refusal({ tools: [weather], functions: [{ name: "f" }] })[0]).toBe("functions")
    expect(refusal({ functions: [{ name: "f" }], function_call: { name: "g" } })[0]).toBe("function_call")
  })
})

describe("the other fields", () => {
  it("are said in the gateway's words", () => {
    expect(
      conversation({
        max_tokens: 5,
        max_completion_tokens: 7,
        stop: ["A", ""],
        temperature: 0.5,
        top_p: 0.9,
        reasoning_effort: "low",
        response_format: { type: "json_schema", json_schema: { name: "x" } },
        web_search_options: { search_context_size: "high" },
        user: "u",
        prompt_cache_key: "k"
      })
    ).toMatchObject({
      maxOutputTokens: 7,
      stopSequences: ["A"],
      sampling: { temperature: 0.5, topP: 0.9 },
      reasoning: { enabled: true, effort: "low", summary: "auto" },
      format: { type: "json-schema", name: "x", schema: { type: "object" } },
      tools: [{ type: "search", contextSize: "high" }],
      endUser: "u",
      cacheKey: "k"
    })
    expect(conversation({ max_tokens: 5, stop: "A", response_format: { type: "json_object" } })).toMatchObject({
      maxOutputTokens: 5,
      stopSequences: ["A"],
      format: { type: "json" },
      reasoning: { enabled: undefined, summary: undefined }
    })
  })

  it("have the efforts that a model's name allows", () => {
    expect(refusal({ model: "gpt-5-pro", reasoning_effort: "low" })).toEqual([
      "reasoning_effort",
      "Unsupported value: 'low' is not supported with the 'gpt-5-pro' model. Supported values are: 'high'."
    ])
  })
})
