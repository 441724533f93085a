import type { JsonObject } from "../contract/fields.ts"

/** A tool of an MCP server, as clients see it in the server's list. */
export interface ShownTool {
  readonly name: string
  readonly description: string | undefined
  /** JSON Schema of the arguments. */
  readonly inputSchema: JsonObject
  /** True if the server says that it changes nothing. */
  readonly isReadOnly: boolean
}

/** The end of a call of such a tool. */
export interface ServerCallResult {
  /** The text that the model reads. */
  readonly text: string
  /** Absent if the call completed. */
  readonly error?: ServerCallError | undefined
}

/** An error in the form of OpenAI's `mcp_call.error`. */
export type ServerCallError =
  | { readonly type: "mcp_protocol_error" | "http_error"; readonly code: number; readonly message: string }
  | {
      readonly type: "mcp_tool_execution_error"
      readonly content: ReadonlyArray<{ readonly type: "text"; readonly text: string }>
    }
