import { describe, expect, it } from "@effect/vitest"
import { conversation, refusal } from "./request.ts"

const content = (...parts: ReadonlyArray<unknown>) => ({ input: [{ role: "user", content: parts }] })
const search = (fields: object) => ({ tools: [{ type: "web_search", ...fields }] })
const f = { type: "function", name: "f" }

const partTypes = "input_text, input_image, input_file, output_text, refusal"
const itemTypes =
  "message, function_call, function_call_output, custom_tool_call, custom_tool_call_output, reasoning, " +
  "item_reference, web_search_call, additional_tools, tool_search_call, tool_search_output, " +
  "shell_call, shell_call_output, local_shell_call, local_shell_call_output, apply_patch_call, " +
  "apply_patch_call_output, computer_call, computer_call_output, mcp_approval_request, mcp_approval_response, " +
  "compaction_trigger"
const toolTypes =
  "function, custom, namespace, tool_search, shell, local_shell, apply_patch, computer, computer_use, " +
  "computer_use_preview, computer-preview, web_search, web_search_2025_08_26, web_search_preview"
const input = "a string or an array of at least one item"

/** Each rule of each field, broken once: the fields that break it, and what the caller is told. */
const broken: ReadonlyArray<readonly [fields: object, param: string, rule: string]> = [
  [{ model: undefined }, "model", "expected a string; got nothing"],
  [{ model: null }, "model", "expected a string; got null"],
  [{ input: null }, "input", `expected ${input}; got null`],
  [{ input: 1 }, "input", `expected ${input}; got 1`],
  [{ input: [] }, "input", `expected ${input}; got an empty array`],
  [{ input: ["hi"] }, "input[0]", 'expected an object; got "hi"'],
  [{ input: [{ type: "sound" }] }, "input[0].type", `expected one of ${itemTypes}; got "sound"`],
  [{ input: [{ content: "hi" }] }, "input[0].role", "is required; expected one of user, assistant, system, developer"],
  [
    { input: [{ role: "tool", content: "hi" }] },
    "input[0].role",
    'expected one of user, assistant, system, developer; got "tool"'
  ],
  [{ input: [{ role: "user" }] }, "input[0].content", "is required; expected a string or an array"],
  [{ input: [{ role: "user", content: 1 }] }, "input[0].content", "expected a string or an array; got 1"],
  [content({}), "input[0].content[0].type", `is required; expected one of ${partTypes}`],
  [
    content({ type: "input_text", text: "a" }, { type: "text" }),
    "input[0].content[1].type",
    `expected one of ${partTypes}; got "text"`
  ],
  [content({ type: "input_text" }), "input[0].content[0].text", "is required; expected a string"],
  [
    content({ type: "input_image" }),
    "input[0].content[0].image_url",
    "is required with type input_image, unless file_id is given"
  ],
  [
    content({ type: "input_image", image_url: "file:///etc/passwd" }),
    "input[0].content[0].image_url",
    'expected an http(s) URL or a base64 data URL of an image; got "file:///etc/passwd"'
  ],
  [
    content({ type: "input_image", image_url: "data:text/plain;base64,aGk=" }),
    "input[0].content[0].image_url",
    'expected an http(s) URL or a base64 data URL of an image; got "data:text/plain;base64,aGk="'
  ],
  [
    content({ type: "input_image", image_url: "https://a.b/c.png", detail: "ultra" }),
    "input[0].content[0].detail",
    'expected one of low, high, auto, original; got "ultra"'
  ],
  [
    content({ type: "input_file", filename: "a.pdf" }),
    "input[0].content[0].file_data",
    "is required with type input_file, unless file_url or file_id is given"
  ],
  [
    content({ type: "input_file", file_data: "not base64!" }),
    "input[0].content[0].file_data",
    'expected a base64 data URL or base64; got "not base64!"'
  ],
  [
    content({ type: "input_file", file_url: "ftp://a.b/c" }),
    "input[0].content[0].file_url",
    'expected an http(s) URL or a base64 data URL; got "ftp://a.b/c"'
  ],
  [{ input: [{ type: "function_call_output", output: "a" }] }, "input[0].call_id", "is required; expected a string"],
  [
    { input: [{ type: "function_call", call_id: "c", name: "f" }] },
    "input[0].arguments",
    "is required; expected a string"
  ],
  [{ input: [{ type: "item_reference" }] }, "input[0].id", "is required; expected a string"],
  [{ instructions: 1 }, "instructions", "expected a string; got 1"],
  [{ max_output_tokens: 0 }, "max_output_tokens", "expected an integer of 1 or more; got 0"],
  [{ max_output_tokens: 1.5 }, "max_output_tokens", "expected an integer of 1 or more; got 1.5"],
  [{ max_tool_calls: "a" }, "max_tool_calls", 'expected an integer of 1 or more; got "a"'],
  [{ temperature: -0.1 }, "temperature", "expected a number between 0 and 2; got -0.1"],
  [{ temperature: 2.1 }, "temperature", "expected a number between 0 and 2; got 2.1"],
  [{ top_p: 1.1 }, "top_p", "expected a number between 0 and 1; got 1.1"],
  [{ stream: "yes" }, "stream", 'expected a boolean; got "yes"'],
  [{ store: 1 }, "store", "expected a boolean; got 1"],
  [{ top_logprobs: 21 }, "top_logprobs", "expected an integer between 0 and 20; got 21"],
  [{ metadata: { a: 1 } }, "metadata.a", "expected a string; got 1"],
  [
    { metadata: Object.fromEntries(Array.from({ length: 17 }, (_, index) => [`k${index}`, "v"])) },
    "metadata",
    "expected at most 16 pairs, of keys of 64 and values of 512 characters at most; got an object"
  ],
  [
    { metadata: { a: "v".repeat(513) } },
    "metadata",
    "expected at most 16 pairs, of keys of 64 and values of 512 characters at most; got an object"
  ],
  [{ include: "all" }, "include", 'expected an array; got "all"'],
  [{ truncation: "some" }, "truncation", 'expected one of auto, disabled; got "some"'],
  [{ previous_response_id: 1 }, "previous_response_id", "expected a string; got 1"],
  [
    { reasoning: { effort: "extreme" } },
    "reasoning.effort",
    'expected one of none, minimal, low, medium, high, xhigh, max; got "extreme"'
  ],
  [{ reasoning: { summary: "long" } }, "reasoning.summary", 'expected one of auto, concise, detailed; got "long"'],
  [
    { text: { format: { type: "xml" } } },
    "text.format.type",
    'expected one of text, json_object, json_schema; got "xml"'
  ],
  [{ text: { format: { type: "json_schema", name: "a" } } }, "text.format.schema", "is required; expected an object"],
  [{ text: { verbosity: "loud" } }, "text.verbosity", 'expected one of low, medium, high; got "loud"'],
  [{ conversation: "c" }, "conversation", "expected the id of one that was made here, by POST /v1/conversations"],
  [{ prompt: { id: "p" } }, "prompt", "is not supported; send instructions and input"],
  [{ tools: [{}] }, "tools[0].type", `is required; expected one of ${toolTypes}`],
  [{ tools: [{ type: "magic" }] }, "tools[0].type", `expected one of ${toolTypes}; got "magic"`],
  [{ tools: [{ type: "function" }] }, "tools[0].name", "is required; expected a name of at least one character"],
  [
    search({ search_context_size: "huge" }),
    "tools[0].search_context_size",
    'expected one of low, medium, high; got "huge"'
  ],
  [search({ user_location: { type: "exact" } }), "tools[0].user_location.type", 'expected "approximate"; got "exact"'],
  [
    search({ user_location: { country: "Norway" } }),
    "tools[0].user_location.country",
    'expected a two-letter ISO country code; got "Norway"'
  ],
  [
    search({ user_location: { country: "QQ" } }),
    "tools[0].user_location.country",
    'expected an ISO 3166-1 country code, such as DE; got "QQ"'
  ],
  [
    search({ user_location: { timezone: "Mars/Olympus" } }),
    "tools[0].user_location.timezone",
    'expected an IANA time zone id, such as Europe/Berlin; got "Mars/Olympus"'
  ],
  [
    { tools: [{ type: "function", name: "get.weather" }] },
    "tools[0].name",
    'expected 1 to 128 letters, digits, _ or -; got "get.weather"'
  ],
  [
    { tools: [{ type: "namespace", name: "n", tools: [{ type: "function", name: "a b" }] }] },
    "tools[0].tools[0].name",
    'expected 1 to 128 letters, digits, _ or -; got "a b"'
  ],
  [
    content({ type: "input_file", file_url: "https://e.com/a.pdf", file_data: "JVBERi0=" }),
    "input[0].content[0].file_url",
    "can't be sent together with file_data"
  ],
  [
    content({ type: "input_image", image_url: "https://e.com/a.png", file_id: "f" }),
    "input[0].content[0].file_id",
    "can't be sent together with image_url"
  ],
  [
    search({ filters: { allowed_domains: ["a.com", "https://b.com"] } }),
    "tools[0].filters.allowed_domains[1]",
    'expected a domain without scheme, such as example.com; got "https://b.com"'
  ],
  [
    search({ filter: { allowed_domains: ["a.com"], blocked_domains: ["b.com"] } }),
    "tools[0].filter.blocked_domains",
    "cannot be combined with allowed_domains"
  ],
  [{ tool_choice: "any" }, "tool_choice", 'expected one of none, auto, required; got "any"'],
  [{ tool_choice: "required" }, "tool_choice", "required needs at least one tool in tools"],
  [
    { tools: [f], tool_choice: { type: "function", name: "g" } },
    "tool_choice.name",
    'expected the name of a tool in tools; got "g"'
  ],
  [
    { tools: [f], tool_choice: { type: "allowed_tools", mode: "auto", tools: [{ type: "function", name: "g" }] } },
    "tool_choice.tools[0].name",
    'expected the name of a tool in tools; got "g"'
  ],
  [
    { tools: [f], tool_choice: { type: "web_search_preview" } },
    "tool_choice.type",
    "web_search_preview needs a web search tool in tools"
  ]
]

describe("a broken rule is told with the field, the rule and what is allowed", () => {
  it.each(broken)("%j", (fields, param, rule) => {
    expect(refusal(fields)).toEqual({ param, message: `${param}: ${rule}` })
  })
})

describe("tool calls and their outputs come in pairs", () => {
  const call = { type: "function_call", call_id: "c1", name: "f", arguments: "{}" } as const
  const output = { type: "function_call_output", call_id: "c1", output: "ok" } as const

  it.each([
    [[output], "No tool call found for function call output with call_id c1."],
    [[output, call], "No tool call found for function call output with call_id c1."],
    [[call, { role: "user", content: "hi" }], "No tool output found for function call c1."],
    [
      [{ type: "custom_tool_call", call_id: "c2", name: "f", input: "" }],
      "No tool output found for custom tool call c2."
    ]
  ])("%j", (input, message) => {
    expect(refusal({ input })).toEqual({ param: "input", message })
  })

  it("also where the call is in the chain", () => {
    expect(conversation({ input: [output] }, [call]).items).toMatchObject([
      { type: "tool-call" },
      { type: "tool-result" }
    ])
    expect(refusal({ input: "hi" }, [call]).message).toBe("No tool output found for function call c1.")
  })
})

describe("null means absent, and unknown fields are ignored", () => {
  it("everywhere", () => {
    const plain = conversation({ input: [{ role: "user", content: [{ type: "input_text", text: "a" }] }], tools: [f] })
    const nulls = conversation({
      input: [
        { type: null, id: null, status: null, role: "user", content: [{ type: "input_text", text: "a", x: 1 }], x: 1 }
      ],
      tools: [{ ...f, description: null, parameters: null, strict: null, x: 1 }],
      instructions: null,
      tool_choice: null,
      parallel_tool_calls: null,
      reasoning: { effort: null, summary: null, context: "auto" },
      text: { format: null, verbosity: null },
      truncation: null,
      conversation: null,
      prompt: null,
      background: null,
      stream: null,
      store: null,
      include: null,
      metadata: null,
      max_output_tokens: null,
      temperature: null,
      stream_options: { include_obfuscation: false },
      client_metadata: {}
    })
    expect({ ...nulls, demands: nulls.demands?.() }).toEqual({ ...plain, demands: plain.demands?.() })
  })
})
