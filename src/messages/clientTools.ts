import type { FunctionTool } from "../generation/Conversation.ts"

/**
 * The dialect's tools that the caller runs. They come as a type without a schema, and calls are answered as `tool_use`.
 * Models that do not know the types get functions (schemas: Anthropic's tool reference).
 */
const clientTools: ReadonlyArray<ClientTool> = [
  {
    family: "bash",
    description: "Run commands in a bash shell that keeps its state between calls.",
    properties: {
      command: { type: "string", description: "The command to run. Required unless restarting." },
      restart: { type: "boolean", description: "Restarts the shell." }
    },
    required: []
  },
  {
    family: "text_editor",
    description: "View, create and edit files.",
    properties: {
      command: { type: "string", enum: ["view", "create", "str_replace", "insert", "undo_edit"] },
      path: { type: "string", description: "Absolute path to a file or directory." },
      file_text: { type: "string", description: "`create`: the content of the file." },
      old_str: { type: "string", description: "`str_replace`: the text to replace; it must occur exactly once." },
      new_str: { type: "string", description: "`str_replace`, `insert`: the new text." },
      insert_line: { type: "integer", description: "`insert`: the line after which to insert." },
      insert_text: { type: "string", description: "`insert`: the text to insert." },
      view_range: { type: "array", items: { type: "integer" }, description: "`view`: first and last line." }
    },
    required: ["command", "path"]
  },
  {
    family: "computer",
    description: "Use a computer's screen, mouse and keyboard.",
    properties: {
      action: {
        type: "string",
        description:
          "The action: screenshot, left_click, right_click, double_click, mouse_move, type, key, scroll, wait, …"
      },
      coordinate: { type: "array", items: { type: "integer" }, description: "x and y in pixels." },
      start_coordinate: { type: "array", items: { type: "integer" }, description: "The start of a drag." },
      text: { type: "string", description: "Text to type, or the key to press." },
      scroll_direction: { type: "string", enum: ["up", "down", "left", "right"] },
      scroll_amount: { type: "integer" },
      duration: { type: "number", description: "Seconds to hold or wait." },
      region: { type: "array", items: { type: "integer" }, description: "`zoom`: x0, y0, x1, y1." }
    },
    required: ["action"]
  },
  {
    family: "memory",
    description: "Keep notes in files under /memories between conversations.",
    properties: {
      command: { type: "string", enum: ["view", "create", "str_replace", "insert", "delete", "rename"] },
      path: { type: "string" },
      file_text: { type: "string" },
      old_str: { type: "string" },
      new_str: { type: "string" },
      insert_line: { type: "integer" },
      insert_text: { type: "string" },
      old_path: { type: "string" },
      new_path: { type: "string" },
      view_range: { type: "array", items: { type: "integer" } }
    },
    required: ["command"]
  }
]

interface ClientTool {
  readonly family: string
  readonly description: string
  readonly properties: Readonly<Record<string, unknown>>
  readonly required: ReadonlyArray<string>
}

/** The tool of a client-run type (`bash_20250124`) as a function under the name the caller gave it. */
export const clientToolAsFunction = (type: string, name: string): FunctionTool => {
  const tool = clientTools.find(({ family }) => type.startsWith(`${family}_`))
  return {
    type: "function",
    name,
    description: tool?.description,
    parameters: { type: "object", properties: tool?.properties ?? {}, required: tool?.required ?? [] },
    strict: undefined
  }
}
