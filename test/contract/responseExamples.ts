import { location, schema } from "./messageExamples.ts"

export const responseTools = [
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
  { type: "shell", environment: { type: "local" } },
  { type: "local_shell" },
  { type: "apply_patch" },
  { type: "computer_use_preview", display_width: 800, display_height: 600, environment: "linux" },
  { type: "file_search" }
]

export const responseOthers = [
  {
    model: "sandbox-text",
    input: [
      { role: "user", content: "Hello" },
      { type: "compaction_trigger", id: "ct_1", status: "completed" }
    ]
  },
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
  { tools: responseTools, tool_choice: { type: "apply_patch" } },
  {
    tools: responseTools,
    tool_choice: {
      type: "allowed_tools",
      mode: "auto",
      tools: [{ type: "function", name: "weather", namespace: "tools" }]
    }
  }
].map((fields) => ({ model: "sandbox-text", input: "Hello", ...fields }))
