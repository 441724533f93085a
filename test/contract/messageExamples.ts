export const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII="
export const csv = btoa("a,b\n1,2\n")
const text = btoa("hello")
export const breakpoint = { type: "ephemeral" }
export const schema = { type: "object", properties: { city: { type: "string" } } }

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

/** Changes of servers' tools, without the servers. */
export const serverChanges = [
  {
    role: "system",
    content: [
      { type: "tool_removal", tool: { type: "mcp_tool_reference", server_name: "wiki", name: "search" } },
      { type: "tool_addition", tool: { type: "mcp_toolset_reference", server_name: "wiki" } }
    ]
  }
]

export const location = { type: "approximate", city: "Rome", region: "Lazio", country: "IT", timezone: "Europe/Rome" }

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

export const messageShared = {
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
export const messageOthers = [
  { tools: messageTools, tool_choice: { type: "any", disable_parallel_tool_use: false }, system: "Be brief." },
  { tools: messageTools, tool_choice: { type: "tool", name: "weather", disable_parallel_tool_use: true } },
  { tools: messageTools, tool_choice: { type: "none" }, thinking: { type: "disabled" } },
  { thinking: { type: "adaptive", display: "summarized" }, output_format: { type: "json_schema", schema } },
  { thinking: { type: "between_tools", display: "summarized" }, thread: { type: "create" } },
  { tools: [{ type: "web_search_20250305", name: "web_search", blocked_domains: ["example.com"] }] }
].map((fields) => ({ model: "sandbox-text", messages: "Hello", ...fields }))

const file = { type: "file", file_id: "file_1" }

export const messageUnserved = {
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
