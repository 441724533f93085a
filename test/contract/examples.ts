const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII="
const pngUrl = `data:image/png;base64,${png}`
const csv = btoa("a,b\n1,2\n")
const text = btoa("hello")
const breakpoint = { type: "ephemeral" }
const schema = { type: "object", properties: { city: { type: "string" } } }

const messages = [
  { role: "system", content: "Be brief." },
  {
    role: "user",
    content: [
      { type: "text", text: "Look at these.", cache_control: breakpoint },
      {
        type: "image",
        source: { type: "base64", media_type: "image/png", data: png },
        cache_control: breakpoint
      },
      { type: "image", source: { type: "url", url: "https://files.invalid/a.png", media_type: "image/png" } },
      {
        type: "document",
        title: "A table",
        context: "Numbers",
        citations: { enabled: true },
        source: { type: "base64", media_type: "text/csv", data: csv },
        cache_control: breakpoint
      },
      { type: "document", source: { type: "text", media_type: "text/plain", data: "plain words" } },
      { type: "document", source: { type: "url", url: "https://files.invalid/a.pdf", media_type: "application/pdf" } },
      { type: "document", source: { type: "content", content: "words" } },
      {
        type: "document",
        source: {
          type: "content",
          content: [
            { type: "text", text: "words" },
            { type: "image", source: { type: "base64", media_type: "image/png", data: png } }
          ]
        }
      },
      {
        type: "file",
        title: "hello.txt",
        source: { type: "base64", media_type: "text/plain", data: text },
        cache_control: breakpoint
      },
      { type: "file", source: { type: "text", media_type: "text/plain", data: "plain words" } },
      { type: "file", source: { type: "url", url: "https://files.invalid/a.pdf", media_type: "application/pdf" } },
      { type: "file_data", media_type: "text/plain", data: text, title: "b", cache_control: breakpoint },
      {
        type: "search_result",
        source: "https://example.com",
        title: "A page",
        content: [{ type: "text", text: "found" }],
        citations: { enabled: true },
        cache_control: breakpoint
      }
    ]
  },
  {
    role: "assistant",
    content: [
      { type: "thinking", thinking: "Hm.", signature: "c2lnbmVk" },
      { type: "redacted_thinking", data: "b3BhcXVl" },
      {
        type: "server_tool_use",
        id: "srvtoolu_1",
        name: "web_search",
        input: { query: "x" },
        cache_control: breakpoint
      },
      {
        type: "web_search_tool_result",
        tool_use_id: "srvtoolu_1",
        content: [
          {
            type: "web_search_result",
            url: "https://a.example",
            title: "A",
            encrypted_content: "eA==",
            page_age: "1 day"
          }
        ],
        cache_control: breakpoint
      },
      { type: "server_tool_use", id: "srvtoolu_2", name: "web_search", input: { query: "y" } },
      {
        type: "web_search_tool_result",
        tool_use_id: "srvtoolu_2",
        content: { type: "web_search_tool_result_error", error_code: "unavailable" }
      },
      {
        type: "text",
        text: "Found.",
        citations: [
          {
            type: "web_search_result_location",
            url: "https://a.example",
            title: "A",
            encrypted_index: "eA==",
            cited_text: "A"
          }
        ]
      },
      { type: "tool_use", id: "toolu_1", name: "weather", input: { city: "Rome" }, cache_control: breakpoint },
      { type: "tool_use", id: "toolu_2", name: "weather", input: {} }
    ]
  },
  {
    role: "user",
    content: [
      {
        type: "tool_result",
        tool_use_id: "toolu_1",
        content: [
          { type: "text", text: "Sunny" },
          { type: "image", source: { type: "base64", media_type: "image/png", data: png } },
          { type: "document", source: { type: "text", data: "plain words" } },
          { type: "file", source: { type: "text", data: "plain words" } },
          { type: "file_data", media_type: "text/plain", data: text },
          { type: "search_result", source: "s", title: "t", content: [{ type: "text", text: "found" }] },
          { type: "tool_reference", tool_name: "weather", cache_control: breakpoint }
        ],
        is_error: false,
        cache_control: breakpoint
      },
      { type: "tool_result", tool_use_id: "toolu_2", content: "Rain", is_error: true }
    ]
  },
  {
    role: "system",
    content: [
      {
        type: "tool_addition",
        tool: { type: "tool_definition", definition: { name: "clock", input_schema: schema } },
        cache_control: breakpoint
      },
      { type: "tool_removal", tool: { type: "tool_reference", name: "clock" }, cache_control: breakpoint },
      { type: "tool_addition", tool: { type: "tool_reference", name: "clock" } }
    ]
  }
]

const location = { type: "approximate", city: "Rome", region: "Lazio", country: "IT", timezone: "Europe/Rome" }

const messageTools = [
  {
    type: "custom",
    name: "weather",
    description: "Tells the weather",
    input_schema: schema,
    strict: true,
    cache_control: breakpoint
  },
  {
    type: "web_search_20250305",
    name: "web_search",
    max_uses: 3,
    allowed_domains: ["example.com"],
    user_location: location,
    cache_control: breakpoint
  },
  { type: "bash_20250124", name: "bash", cache_control: breakpoint }
]

const messageShared = {
  model: "sandbox-text",
  messages,
  system: [{ type: "text", text: "You are a test.", cache_control: breakpoint }],
  tools: messageTools,
  tool_choice: { type: "auto", disable_parallel_tool_use: true },
  thinking: { type: "enabled", budget_tokens: 1024, display: "omitted" },
  output_config: { effort: "low", format: { type: "json_schema", schema } },
  cache_control: breakpoint
}

/** The fields and members that exclude each other, one body each. */
const messageOthers = [
  { tools: messageTools, tool_choice: { type: "any", disable_parallel_tool_use: false }, system: "Be brief." },
  { tools: messageTools, tool_choice: { type: "tool", name: "weather", disable_parallel_tool_use: true } },
  { tools: messageTools, tool_choice: { type: "none" }, thinking: { type: "disabled" } },
  { thinking: { type: "adaptive", display: "summarized" }, output_format: { type: "json_schema", schema } },
  { thinking: { type: "between_tools", display: "summarized" }, thread: { type: "create" } },
  { tools: [{ type: "web_search_20250305", name: "web_search", blocked_domains: ["example.com"] }] }
].map((fields) => ({ model: "sandbox-text", messages: "Hello", ...fields }))

const sampling = {
  max_tokens: 2000,
  stream: false,
  async: false,
  temperature: 0.5,
  top_p: 0.9,
  top_k: 40,
  stop_sequences: ["END"],
  metadata: { user_id: "u1" }
}

const inputText = { type: "input_text", text: "Look at these." }

const input = [
  { type: "message", id: "msg_1", status: "completed", role: "developer", content: "Be brief." },
  {
    role: "user",
    content: [
      inputText,
      { type: "input_image", image_url: pngUrl, detail: "low" },
      { type: "input_file", file_data: `data:text/csv;base64,${csv}`, filename: "a.csv" },
      { type: "input_file", file_url: "https://files.invalid/a.pdf", filename: "a.pdf" }
    ]
  },
  {
    type: "message",
    role: "assistant",
    content: [
      { type: "output_text", text: "Seen.", annotations: [{ type: "url_citation", url: "https://a.example" }] },
      { type: "refusal", refusal: "No." }
    ]
  },
  {
    type: "reasoning",
    id: "rs_1",
    summary: [{ type: "summary_text", text: "Hm." }],
    content: [{ type: "reasoning_text", text: "Hm." }],
    encrypted_content: "b3BhcXVl",
    status: "completed"
  },
  {
    type: "function_call",
    id: "fc_1",
    call_id: "call_1",
    name: "weather",
    namespace: "tools",
    arguments: "{}",
    status: "completed"
  },
  { type: "function_call_output", id: "fco_1", call_id: "call_1", output: [inputText], status: "completed" },
  {
    type: "custom_tool_call",
    id: "ctc_1",
    call_id: "call_2",
    name: "run",
    namespace: "tools",
    input: "x",
    status: "ok"
  },
  { type: "custom_tool_call_output", id: "cto_1", call_id: "call_2", output: "done", status: "completed" },
  {
    type: "web_search_call",
    id: "ws_1",
    status: "completed",
    action: { type: "search", query: "x" },
    encrypted_content: "eA=="
  },
  {
    type: "additional_tools",
    id: "at_1",
    status: "completed",
    role: "developer",
    tools: [{ type: "custom", name: "more", description: "Runs more" }]
  },
  {
    type: "tool_search_call",
    id: "tsc_1",
    status: "completed",
    call_id: "call_3",
    execution: "client",
    arguments: { query: "x" }
  },
  {
    type: "tool_search_output",
    id: "tso_1",
    status: "completed",
    call_id: "call_3",
    execution: "client",
    tools: [{ type: "custom", name: "found", description: "Runs what was found" }]
  }
]

const responseTools = [
  { type: "function", name: "weather", description: "Tells it", parameters: schema, strict: true },
  { type: "custom", name: "run", description: "Runs it", format: { type: "text" } },
  {
    type: "namespace",
    name: "tools",
    description: "Many",
    tools: [
      { type: "function", name: "weather", description: "Tells it", parameters: schema, strict: false },
      { type: "custom", name: "run", description: "Runs it", format: { type: "text" } }
    ]
  },
  {
    type: "web_search",
    filters: { allowed_domains: ["example.com"] },
    search_context_size: "low",
    user_location: location
  },
  { type: "tool_search", execution: "client", description: "Finds tools", parameters: schema },
  { type: "file_search" }
]

const responseShared = {
  model: "sandbox-text",
  input,
  instructions: "You are a test.",
  tools: responseTools,
  tool_choice: "auto",
  parallel_tool_calls: true,
  reasoning: { effort: "low", summary: "auto", generate_summary: "auto" },
  text: {
    format: { type: "json_schema", name: "answer", description: "An answer", schema, strict: true },
    verbosity: "low"
  },
  truncation: "auto"
}

const responseOthers = [
  { tools: [{ type: "web_search", filter: { allowed_domains: ["example.com"] } }] },
  { tools: [{ type: "web_search", filters: { blocked_domains: ["example.com"] } }] },
  { tools: [{ type: "web_search", filter: { blocked_domains: ["example.com"] } }] },
  { tools: responseTools, tool_choice: { type: "function", name: "weather" }, text: { format: { type: "text" } } },
  {
    tools: responseTools,
    tool_choice: { type: "function", name: "weather", namespace: "tools" },
    text: { format: { type: "json_object" } }
  },
  { tools: responseTools, tool_choice: { type: "custom", name: "run", namespace: "tools" } },
  { tools: responseTools, tool_choice: { type: "web_search" } },
  {
    tools: responseTools,
    tool_choice: {
      type: "allowed_tools",
      mode: "auto",
      tools: [{ type: "function", name: "weather", namespace: "tools" }]
    }
  }
].map((fields) => ({ model: "sandbox-text", input: "Hello", ...fields }))

const responseOptions = {
  max_output_tokens: 200,
  max_tool_calls: 2,
  temperature: 0.5,
  top_p: 0.9,
  stream: false,
  store: false,
  include: ["web_search_call.action.sources"],
  metadata: { a: "b" },
  service_tier: "default",
  prompt_cache_key: "k",
  prompt_cache_retention: "24h",
  safety_identifier: "u1",
  user: "u1",
  top_logprobs: 0,
  background: false
}

const chatCall = { id: "call_1", type: "function", function: { name: "weather", arguments: "{}" } }

const chatMessages = [
  { role: "developer", content: "Be brief.", name: "boss" },
  { role: "system", content: [{ type: "text", text: "You are a test.", cache_control: breakpoint }] },
  {
    role: "user",
    content: [
      { type: "text", text: "Look at these." },
      { type: "image_url", image_url: { url: pngUrl, detail: "low" }, cache_control: breakpoint },
      {
        type: "file",
        file: { file_data: `data:text/csv;base64,${csv}`, filename: "a.csv" },
        cache_control: breakpoint
      }
    ]
  },
  {
    role: "assistant",
    content: [
      { type: "text", text: "Seen." },
      { type: "refusal", refusal: "No." }
    ],
    refusal: "No.",
    reasoning_content: "Hm.",
    reasoning_details: [{ type: "reasoning.text", text: "Hm." }],
    tool_calls: [chatCall, { id: "call_2", type: "custom", custom: { name: "run", input: "x" } }]
  },
  { role: "tool", tool_call_id: "call_1", content: "Sunny" },
  { role: "tool", tool_call_id: "call_2", content: [{ type: "text", text: "done" }] },
  { role: "assistant", function_call: { name: "weather", arguments: "{}" } },
  { role: "function", name: "weather", content: "Sunny" }
]

const chatFunction = { name: "weather", description: "Tells it", parameters: schema, strict: true }
const chatTools = [
  { type: "function", function: chatFunction },
  { type: "custom", custom: { name: "run", description: "Runs it", format: { type: "text" } } },
  {
    type: "custom",
    custom: { name: "count", format: { type: "grammar", grammar: { syntax: "regex", definition: "\\d+" } } }
  },
  { type: "builtin_function" }
]

const chatOptions = {
  moderation: { model: "omni-moderation-latest" },
  prompt_cache_options: { mode: "implicit" },
  tool_choice: "auto",
  parallel_tool_calls: false,
  response_format: {
    type: "json_schema",
    json_schema: { name: "answer", description: "An answer", schema, strict: true }
  },
  reasoning_effort: "low",
  verbosity: "low",
  max_completion_tokens: 200,
  max_tokens: 200,
  n: 2,
  stop: ["END"],
  stream: false,
  stream_options: { include_usage: true, include_obfuscation: false },
  temperature: 0.5,
  top_p: 0.9,
  frequency_penalty: 0.1,
  presence_penalty: 0.1,
  seed: 7,
  logit_bias: { 50256: -100 },
  logprobs: true,
  top_logprobs: 2,
  prediction: { type: "content", content: "x" },
  modalities: ["text"],
  audio: { voice: "alloy", format: "wav" },
  web_search_options: {
    search_context_size: "low",
    user_location: {
      type: "approximate",
      approximate: { city: "Rome", region: "Lazio", country: "IT", timezone: "Europe/Rome" }
    }
  },
  store: false,
  metadata: { a: "b" },
  service_tier: "default",
  prompt_cache_key: "k",
  prompt_cache_retention: "24h",
  safety_identifier: "u1",
  user: "u1"
}

const chatBody = { model: "sandbox-text", messages: chatMessages, tools: chatTools, ...chatOptions }
const chatOthers = [
  { tools: chatTools, tool_choice: { type: "function", function: { name: "weather" } }, stop: "END" },
  { tools: chatTools, tool_choice: { type: "custom", custom: { name: "run" } }, response_format: { type: "text" } },
  {
    tools: chatTools,
    tool_choice: {
      type: "allowed_tools",
      allowed_tools: {
        mode: "auto",
        tools: [
          { type: "function", function: { name: "weather" } },
          { type: "custom", custom: { name: "run" } }
        ]
      }
    },
    response_format: { type: "json_object" }
  },
  { functions: [chatFunction], function_call: { name: "weather" } },
  { functions: [chatFunction], function_call: "auto" }
].map((fields) => ({ model: "sandbox-text", messages: [{ role: "user", content: "Hello" }], ...fields }))

const videoOptions = {
  callback_url: "https://files.invalid/hook",
  return_last_frame: true,
  execution_expires_after: 3600,
  generate_audio: true,
  ratio: "16:9",
  resolution: "480p",
  duration: 5,
  frames: 29,
  seed: 7,
  watermark: false,
  tools: [{ type: "web_search" }],
  safety_identifier: "u1",
  service_tier: "default",
  draft: false,
  camera_fixed: false,
  priority: 1
}

const video = (...content: ReadonlyArray<unknown>) => ({ model: "sandbox-video", content })

const compactable = (body: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(["model", "instructions", "input"].flatMap((name) => (name in body ? [[name, body[name]]] : [])))

/**
 * Bodies that use every field of every request the contract takes, by `group.endpoint`. The table tests break each rule
 * once in these and fail where a field, or an endpoint with a body, has no example.
 */
export const examples: Readonly<Record<string, ReadonlyArray<Readonly<Record<string, unknown>>>>> = {
  "messages.create": [
    { ...messageShared, ...sampling },
    ...messageOthers.map((body) => ({ ...body, max_tokens: 2000 }))
  ],
  "messages.countTokens": [messageShared, ...messageOthers],
  "responses.create": [{ ...responseShared, ...responseOptions }, ...responseOthers],
  "responses.inputTokens": [responseShared, ...responseOthers],
  "responses.compact": [responseShared, ...responseOthers].map(compactable),
  "chat.create": [chatBody, ...chatOthers],
  "embeddings.create": [
    { model: "sandbox-embed", input: ["Hello", "World"], dimensions: 64, encoding_format: "base64", user: "u1" },
    { model: "sandbox-embed", input: "Hello" },
    { model: "sandbox-embed", input: [[1, 2], [3]] },
    { model: "sandbox-embed", input: [1, 2, 3] }
  ],
  "videos.create": [
    {
      ...video(
        { type: "text", text: "A cat" },
        { type: "image_url", role: "reference_image", image_url: { url: pngUrl } },
        { type: "video_url", role: "reference_video", video_url: { url: "https://files.invalid/a.mp4" } },
        { type: "audio_url", role: "reference_audio", audio_url: { url: "https://files.invalid/a.mp3" } }
      ),
      ...videoOptions
    },
    video({ type: "text", text: "A cat" }, { type: "image_url", role: "first_frame", image_url: { url: pngUrl } })
  ],
  "account.quote": [
    { ...messageShared, ...sampling },
    { ...responseShared, ...responseOptions },
    video({ type: "text", text: "A cat" }),
    { endpoint: "/v1/messages", body: { ...messageShared, ...sampling } },
    { endpoint: "/v1/chat/completions", body: chatBody }
  ]
}

const file = { type: "file", file_id: "file_1" }
const messageUnserved = {
  model: "sandbox-text",
  messages: [
    {
      role: "user",
      content: [
        { type: "image", source: file },
        { type: "document", source: file },
        {
          type: "document",
          source: {
            type: "content",
            content: [
              { type: "image", source: file },
              { type: "image", source: { type: "url", url: "https://files.invalid/a.png", media_type: "image/png" } }
            ]
          }
        },
        { type: "file", source: file },
        { type: "container_upload", file_id: "file_1", cache_control: breakpoint }
      ]
    }
  ],
  tools: [{ type: "web_fetch_20250910", name: "web_fetch", cache_control: breakpoint }]
}
const responseUnserved = {
  model: "sandbox-text",
  input: [
    { type: "item_reference", id: "msg_unknown" },
    { type: "image_generation_call", id: "ig_1", status: "completed", result: "…" },
    {
      role: "user",
      content: [
        { type: "input_image", file_id: "file_1" },
        { type: "input_file", file_id: "file_1" }
      ]
    }
  ],
  previous_response_id: "resp_unknown",
  tools: [{ type: "file_search" }],
  tool_choice: { type: "file_search" },
  conversation: "conv_1"
}
const chatUnserved = {
  model: "sandbox-text",
  messages: [
    {
      role: "user",
      content: [
        { type: "file", file: { file_id: "file_1" } },
        { type: "input_audio", input_audio: { data: "eA==", format: "wav" } }
      ]
    },
    { role: "assistant", audio: { id: "audio_1" } }
  ]
}

/** Bodies of fields that the contract knows and the sandbox, or the gateway, has nothing to answer with. */
export const unserved: typeof examples = {
  "messages.create": [
    { ...messageUnserved, max_tokens: 100 },
    {
      model: "sandbox-text",
      max_tokens: 100,
      messages: "Hello",
      thread: { type: "continue", previous_message_id: "msg_1" }
    }
  ],
  "messages.countTokens": [messageUnserved],
  "responses.create": [{ ...responseUnserved, prompt: { id: "pmpt_1" } }],
  "responses.inputTokens": [responseUnserved],
  "responses.compact": [{ ...compactable(responseUnserved), previous_response_id: "resp_1" }],
  "chat.create": [chatUnserved],
  "videos.create": [{ ...video({ type: "draft_task", draft_task: { id: "cgt-1" } }) }]
}
