/** Requests as Codex 0.171 sends them, cut down. */

const object = (properties: object, required: ReadonlyArray<string> = []) => ({
  type: "object",
  properties,
  required,
  additionalProperties: false
})

const message = (role: string, text: string) => ({
  type: "message",
  role,
  content: [{ type: "input_text", text }]
})

const common = (model: string) => ({
  model,
  tool_choice: "auto",
  store: false,
  include: ["reasoning.encrypted_content"],
  prompt_cache_key: "0199c0de-0000-7000-8000-000000000000",
  text: { verbosity: "low" }
})

/** The first input item of its default model, which sends no `tools`. */
export const additionalTools = {
  type: "additional_tools",
  role: "developer",
  tools: [
    {
      type: "namespace",
      name: "functions",
      description: "",
      tools: [
        {
          type: "custom",
          name: "exec",
          description: "Runs JavaScript code that calls other tools.",
          format: { type: "grammar", syntax: "lark", definition: "start: SOURCE\nSOURCE: /[\\s\\S]+/\n" }
        },
        {
          type: "function",
          name: "wait",
          description: "Waits for a cell.",
          strict: false,
          parameters: object({ cell_id: { type: "string" } }, ["cell_id"])
        }
      ]
    },
    {
      type: "namespace",
      name: "clock",
      description: "Tools for reading and waiting on time.",
      tools: [
        {
          type: "function",
          name: "sleep",
          description: "Pauses for a while.",
          strict: false,
          parameters: object({ duration_ms: { type: "number" } }, ["duration_ms"])
        }
      ]
    }
  ]
}

/** Its default model. */
export const bySol = (model: string, text: string, more: ReadonlyArray<unknown> = []) => ({
  ...common(model),
  input: [
    additionalTools,
    message("developer", "You are Codex, a coding agent."),
    message("user", "<environment_context>\n  <cwd>/home</cwd>\n</environment_context>"),
    message("user", text),
    ...more
  ],
  parallel_tool_calls: false,
  reasoning: { effort: "low", context: "all_turns" }
})

const toolSearch = {
  type: "tool_search",
  execution: "client",
  description: "# Tool discovery\n\nSearches over deferred tools.",
  parameters: object({ limit: { type: "number" }, query: { type: "string" } }, ["query"])
}

/** A model that searches for the tools of an MCP server. */
export const byMcp = (model: string, text: string, more: ReadonlyArray<unknown> = []) => ({
  ...common(model),
  input: [
    message("developer", "You are Codex, a coding agent."),
    message("developer", "<tools>\nDeferred tool namespaces:\n- mcp__notes\n</tools>"),
    message("user", text),
    ...more
  ],
  tools: [
    {
      type: "function",
      name: "exec_command",
      description: "Runs a command.",
      strict: false,
      parameters: object({ cmd: { type: "string" } }, ["cmd"])
    },
    toolSearch,
    { type: "web_search", external_web_access: false, search_content_types: ["text", "image"] }
  ],
  parallel_tool_calls: true,
  reasoning: { effort: "medium" }
})

/** Codex's result of a tool search. */
export const found = (callId: string) => ({
  type: "tool_search_output",
  call_id: callId,
  status: "completed",
  execution: "client",
  tools: [
    {
      type: "namespace",
      name: "mcp__notes",
      description: "Tools in the mcp__notes namespace.",
      tools: [
        {
          type: "function",
          name: "read_note",
          description: "Reads the note with a number",
          strict: false,
          defer_loading: true,
          parameters: { type: "object", properties: { number: { type: "integer" } }, required: ["number"] }
        }
      ]
    }
  ]
})
