import type { GenerationEvent } from "../../generation/GenerationEvent.ts"
import type { OutputItem } from "../ResponseObject.ts"

type McpItem = Extract<OutputItem, { readonly type: "mcp_list_tools" | "mcp_call" | "mcp_approval_request" }>

/** The events that produce an item of a server's tools. A call that did not end stays open. */
export const mcpEvents = (item: McpItem): ReadonlyArray<GenerationEvent> => {
  if (item.type === "mcp_list_tools") {
    const tools = item.tools.map(({ annotations, description, input_schema: inputSchema, name }) => ({
      name,
      description: description ?? undefined,
      inputSchema,
      isReadOnly: annotations.read_only
    }))
    return [{ type: "server-tools", server: item.server_label, tools }]
  }
  const { arguments: text, id, name: tool, server_label: server } = item
  if (item.type === "mcp_approval_request") return [{ type: "approval-asked", server, tool, arguments: text }]
  const { approval_request_id: approval, error, output } = item
  const started: ReadonlyArray<GenerationEvent> = [
    { type: "server-call-start", id, server, tool, ...(approval !== null && { approval }) },
    { type: "server-call-delta", id, text }
  ]
  if (item.status === "incomplete") return started
  const result = { text: output ?? "", ...(error !== null && { error: errorOf(error) }) }
  return [...started, { type: "server-call-written", id }, { type: "server-call-end", id, result }]
}

const errorOf = ({
  code = 0,
  content,
  message = "",
  type
}: NonNullable<Extract<McpItem, { type: "mcp_call" }>["error"]>) =>
  type === "mcp_tool_execution_error" ? { type, content: content ?? [] } : { type, code, message }
