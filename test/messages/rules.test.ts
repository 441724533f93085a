import { describe, expect, it } from "@effect/vitest"
import { conversation, minimal, refusal } from "./request.ts"

const content = (...blocks: ReadonlyArray<unknown>) => ({ messages: [{ role: "user", content: blocks }] })
const image = (source: object) => content({ type: "image", source })
const search = (fields: object) => ({ tools: [{ type: "web_search_20250305", name: "web_search", ...fields }] })
const weather = { name: "get_weather", input_schema: { type: "object" } }
const assistantCalls = { role: "assistant", content: [{ type: "tool_use", id: "t1", name: "f", input: {} }] }
const result = (id: string) => ({ role: "user", content: [{ type: "tool_result", tool_use_id: id }] })

const blockTypes =
  "text, image, document, file, file_data, tool_use, tool_result, thinking, redacted_thinking, server_tool_use, " +
  "web_search_tool_result, search_result, tool_addition, tool_removal"
const toolTypes =
  "custom, web_search_20250305, web_search_20260209, web_search_20260318, bash_20250124, text_editor_20250728, " +
  "computer_20251124, memory_20250818"
const fileTypes =
  "application/pdf, text/plain, text/markdown, text/csv, image/png, image/jpeg, image/jpg, image/gif, image/webp"

/** Each rule of each field, broken once: the fields that break it, and what the caller is told. */
const broken: ReadonlyArray<readonly [fields: object, param: string, rule: string]> = [
  [{ model: null }, "model", "expected a non empty string; got null"],
  [{ model: "" }, "model", 'expected a non empty string; got ""'],
  [{ model: 1 }, "model", "expected a non empty string; got 1"],
  [{ max_tokens: null }, "max_tokens", "expected an integer of 1 or more; got null"],
  [{ max_tokens: 0 }, "max_tokens", "expected an integer of 1 or more; got 0"],
  [{ max_tokens: 1.5 }, "max_tokens", "expected an integer of 1 or more; got 1.5"],
  [{ messages: [] }, "messages", "expected a non empty string or an array of at least one message; got an empty array"],
  [{ messages: "" }, "messages", 'expected a non empty string or an array of at least one message; got ""'],
  [{ messages: ["hi"] }, "messages[0]", 'expected an object; got "hi"'],
  [{ messages: [{ content: "hi" }] }, "messages[0].role", "is required; expected one of user, assistant, system"],
  [
    { messages: [{ role: "tool", content: "hi" }] },
    "messages[0].role",
    'expected one of user, assistant, system; got "tool"'
  ],
  [{ messages: [{ role: "user" }] }, "messages[0].content", "is required; expected a string or an array"],
  [{ messages: [{ role: "user", content: 1 }] }, "messages[0].content", "expected a string or an array; got 1"],
  [
    {
      messages: [minimal.messages[0], { role: "assistant", content: [{ type: "text", text: "" }, { type: "audio" }] }]
    },
    "messages[1].content[1].type",
    `expected one of ${blockTypes}; got "audio"`
  ],
  [content({}), "messages[0].content[0].type", `is required; expected one of ${blockTypes}`],
  [content({ type: "text" }), "messages[0].content[0].text", "is required; expected a string"],
  [content({ type: "image" }), "messages[0].content[0].source", "is required"],
  [image({ type: "ftp" }), "messages[0].content[0].source.type", 'expected one of base64, url, file; got "ftp"'],
  [
    image({ type: "base64", data: "aGk=" }),
    "messages[0].content[0].source.media_type",
    "is required; expected one of image/png, image/jpeg, image/jpg, image/gif, image/webp"
  ],
  [
    image({ type: "base64", media_type: "application/pdf", data: "aGk=" }),
    "messages[0].content[0].source.media_type",
    'expected one of image/png, image/jpeg, image/jpg, image/gif, image/webp; got "application/pdf"'
  ],
  [
    image({ type: "base64", media_type: "image/png" }),
    "messages[0].content[0].source.data",
    "is required; expected a base64 string (standard alphabet)"
  ],
  [
    image({ type: "base64", media_type: "image/png", data: "not base64!" }),
    "messages[0].content[0].source.data",
    'expected a base64 string (standard alphabet); got "not base64!"'
  ],
  [
    image({ type: "base64", media_type: "image/png", data: "" }),
    "messages[0].content[0].source.data",
    'expected a base64 string (standard alphabet); got ""'
  ],
  [image({ type: "url" }), "messages[0].content[0].source.url", "is required; expected an http:// or https:// address"],
  [
    image({ type: "url", url: "file:///etc/passwd" }),
    "messages[0].content[0].source.url",
    'expected an http:// or https:// address; got "file:///etc/passwd"'
  ],
  [
    content({ type: "document", source: { type: "base64", media_type: "image/png", data: "aGk=" } }),
    "messages[0].content[0].source.media_type",
    'expected one of application/pdf, text/plain, text/markdown, text/csv; got "image/png"'
  ],
  [
    content({ type: "file", source: { type: "base64", media_type: "application/zip", data: "aGk=" } }),
    "messages[0].content[0].source.media_type",
    `expected one of ${fileTypes}; got "application/zip"`
  ],
  [
    content({ type: "file_data", data: "aGk=" }),
    "messages[0].content[0].media_type",
    `is required; expected one of ${fileTypes}`
  ],
  [
    content({ type: "file_data", media_type: "text/csv" }),
    "messages[0].content[0].data",
    "is required; expected a base64 string (standard alphabet)"
  ],
  [{ stream: "yes" }, "stream", 'expected a boolean; got "yes"'],
  [{ async: 1 }, "async", "expected a boolean; got 1"],
  [{ system: 1 }, "system", "expected a string or an array; got 1"],
  [{ system: [{ type: "image", text: "" }] }, "system[0].type", 'expected "text"; got "image"'],
  [{ system: [{ type: "text" }] }, "system[0].text", "is required; expected a string"],
  [{ temperature: 1.1 }, "temperature", "expected a number between 0 and 1; got 1.1"],
  [{ temperature: -0.1 }, "temperature", "expected a number between 0 and 1; got -0.1"],
  [{ top_p: 1.1 }, "top_p", "expected a number between 0 and 1; got 1.1"],
  [{ top_k: -1 }, "top_k", "expected an integer of 0 or more; got -1"],
  [{ top_k: 0.5 }, "top_k", "expected an integer of 0 or more; got 0.5"],
  [{ stop_sequences: "END" }, "stop_sequences", 'expected an array of at most 1024 non empty strings; got "END"'],
  [{ stop_sequences: [""] }, "stop_sequences[0]", 'expected a non empty string; got ""'],
  [{ metadata: { user_id: 7 } }, "metadata.user_id", "expected a string; got 7"],
  [
    { output_config: { effort: "most" } },
    "output_config.effort",
    'expected one of low, medium, high, xhigh, max; got "most"'
  ],
  [
    { output_config: { format: { type: "json_schema" } } },
    "output_config.format.schema",
    "is required; expected an object"
  ],

  [{ tools: {} }, "tools", "expected an array; got an object"],
  [{ tools: [{ input_schema: {} }] }, "tools[0].name", "is required; expected a name of 1 to 128 characters"],
  [{ tools: [{ name: "f" }] }, "tools[0].input_schema", "is required; expected an object"],
  [{ tools: [weather, weather] }, "tools[1].name", 'tool names must be unique; "get_weather" comes twice'],
  [
    { tools: [weather, { type: "code_interpreter", name: "code_interpreter" }] },
    "tools[1].type",
    `expected one of ${toolTypes}; got "code_interpreter"`
  ],
  [search({ max_uses: 0 }), "tools[0].max_uses", "expected an integer between 1 and 20; got 0"],
  [search({ max_uses: 21 }), "tools[0].max_uses", "expected an integer between 1 and 20; got 21"],
  [
    search({ allowed_domains: ["a.com"], blocked_domains: ["b.com"] }),
    "tools[0].blocked_domains",
    "cannot be combined with allowed_domains; send one of them"
  ],
  [
    search({ allowed_domains: ["a.com", "https://b.com"] }),
    "tools[0].allowed_domains[1]",
    'expected a domain without a scheme, such as example.com or example.com/docs; got "https://b.com"'
  ],
  [
    search({ blocked_domains: ["http://b.com/x"] }),
    "tools[0].blocked_domains[0]",
    'expected a domain without a scheme, such as example.com or example.com/docs; got "http://b.com/x"'
  ],
  [search({ user_location: { type: "exact" } }), "tools[0].user_location.type", 'expected "approximate"; got "exact"'],
  [
    search({ user_location: { type: "approximate", country: "Germany" } }),
    "tools[0].user_location.country",
    'expected a two-letter ISO 3166-1 country code; got "Germany"'
  ],
  [
    search({ user_location: { type: "approximate", timezone: "Mars/Olympus" } }),
    "tools[0].user_location.timezone",
    'expected an IANA time zone id, such as Europe/Berlin; got "Mars/Olympus"'
  ],
  [
    search({ user_location: { type: "approximate", country: "QQ" } }),
    "tools[0].user_location.country",
    'expected an ISO 3166-1 country code, such as DE; got "QQ"'
  ],
  [search({ name: "look" }), "tools[0].name", 'expected "web_search"; got "look"'],
  [
    { tools: [{ ...weather, name: "get.weather" }] },
    "tools[0].name",
    'expected 1 to 128 letters, digits, _ or -; got "get.weather"'
  ],

  [{ tool_choice: "auto" }, "tool_choice", 'expected an object; got "auto"'],
  [{ tool_choice: { type: "all" } }, "tool_choice.type", 'expected one of auto, any, tool, none; got "all"'],
  [{ tools: [weather], tool_choice: { type: "tool" } }, "tool_choice.name", "is required; expected a non empty string"],
  [
    { tools: [weather], tool_choice: { type: "tool", name: "get_time" } },
    "tool_choice.name",
    'expected one of get_weather; got "get_time"'
  ],
  [{ tool_choice: { type: "any" } }, "tool_choice", '"any" needs at least one tool in tools'],

  [
    { thinking: { type: "on" } },
    "thinking.type",
    'expected one of enabled, disabled, adaptive, between_tools; got "on"'
  ],
  [{ thinking: { type: "enabled" } }, "thinking.budget_tokens", "is required; expected an integer"],
  [
    { thinking: { type: "enabled", budget_tokens: 4096 } },
    "max_tokens",
    "`max_tokens` must be greater than `thinking.budget_tokens`"
  ],
  [
    { messages: [minimal.messages[0], assistantCalls, result("t2")] },
    "messages[2].content[0].tool_use_id",
    'no tool_use block before it has the id "t2"'
  ],
  [
    { messages: [minimal.messages[0], assistantCalls, { role: "user", content: "never mind" }] },
    "messages[2]",
    'the tool_use "t1" before it needs a tool_result block here'
  ]
]

describe("a broken rule names field, rule and what is allowed", () => {
  for (const [fields, param, rule] of broken) {
    it(`${param}: ${rule}`, () => {
      expect(refusal(fields)).toEqual({ param, message: `${param}: ${rule}` })
    })
  }

  it("a thinking budget below 1024 is told in the dialect's own words", () => {
    expect(refusal({ thinking: { type: "enabled", budget_tokens: 1023 } })).toEqual({
      param: "thinking.budget_tokens",
      message: "thinking.enabled.budget_tokens: Input should be greater than or equal to 1024"
    })
  })
})

describe("what clients send beyond docs/api.md is taken", () => {
  const taken: Readonly<Record<string, object>> = {
    "null for every optional field": {
      async: null,
      stream: null,
      system: null,
      temperature: null,
      top_p: null,
      top_k: null,
      stop_sequences: null,
      tools: null,
      tool_choice: null,
      thinking: null,
      metadata: null,
      output_config: null,
      output_format: null,
      cache_control: null
    },
    "unknown fields": {
      context_management: { edits: [] },
      mcp_servers: [],
      speed: "fast",
      service_tier: "auto",
      messages: [{ role: "user", content: [{ type: "text", text: "hi", new_field: 1 }], id: 7 }]
    },
    "exactly 32000 tokens": { max_tokens: 32_000 },
    "a budget just below max_tokens": { thinking: { type: "enabled", budget_tokens: 4095 } },
    "system text that is empty or marked": {
      system: [
        { type: "text", text: "" },
        { text: "be brief", cache_control: { type: "ephemeral", ttl: "1h" } }
      ]
    },
    "a user id that is JSON": { metadata: { user_id: '{"device":"d","session":"s"}' } },
    "allowed domains beside an empty list of blocked ones": search({
      allowed_domains: ["a.com/docs"],
      blocked_domains: []
    }),
    "later dates of web search": { tools: [{ type: "web_search_20990101", name: "web_search" }] },
    "a location without a type": search({ user_location: { country: "DE", timezone: "Europe/Berlin" } }),
    "tools of the caller's own with every extra": {
      tools: [
        {
          ...weather,
          type: "custom",
          strict: true,
          eager_input_streaming: true,
          defer_loading: true,
          input_examples: [{}],
          cache_control: { type: "ephemeral" }
        }
      ]
    },
    "calls answered over several messages": {
      messages: [
        minimal.messages[0],
        assistantCalls,
        { role: "system", content: "careful" },
        result("t1"),
        { role: "user", content: "thanks" }
      ]
    },
    "a conversation that ends in a call": { messages: [minimal.messages[0], assistantCalls] }
  }
  for (const [what, fields] of Object.entries(taken)) {
    it(what, () => {
      expect(conversation(fields).model).toBe("m")
    })
  }
})
