import { Schema } from "effect"
import { answerField, JsonObject } from "../../contract/fields.ts"

const id = answerField(Schema.String, "Id of the item; an `item_reference` may name it later.")
const server_label = answerField(Schema.String, "The request's label of the server.")

const ListedTool = Schema.Struct({
  name: answerField(Schema.String, "Name of the tool."),
  description: answerField(Schema.NullOr(Schema.String), "The server's description of it."),
  input_schema: answerField(JsonObject, "JSON Schema of the arguments."),
  annotations: answerField(
    Schema.Struct({
      read_only: answerField(Schema.Boolean, "True if the server says that the tool changes nothing.")
    }),
    "The server's word, which nothing proves."
  )
}).annotations({ identifier: "ResponsesMcpTool" })

const OutputMcpList = Schema.Struct({
  id,
  type: Schema.Literal("mcp_list_tools"),
  status: Schema.optionalWith(Schema.Literal("in_progress", "completed", "incomplete", "failed"), {
    exact: true
  }).annotations({
    description: "Absent, unless the upstream made the list."
  }),
  server_label,
  tools: answerField(Schema.Array(ListedTool), "The tools that the model may call; empty while they are asked for.")
}).annotations({ identifier: "ResponsesMcpListTools" })

const CallError = Schema.Struct({
  type: answerField(
    Schema.Literal("mcp_protocol_error", "http_error", "mcp_tool_execution_error"),
    "An error of the protocol, of the connection, or of the tool itself."
  ),
  code: Schema.optionalWith(Schema.Number, { exact: true }).annotations({
    description: "The protocol's code, or the HTTP status: 0 if no answer came."
  }),
  message: Schema.optionalWith(Schema.String, { exact: true }).annotations({ description: "The error in words." }),
  content: Schema.optionalWith(
    Schema.Array(
      Schema.Struct({ type: Schema.Literal("text"), text: answerField(Schema.String, "The tool's own words.") })
    ),
    { exact: true }
  ).annotations({ description: "The tool's result, if it says that it failed." })
}).annotations({ identifier: "ResponsesMcpError" })

const OutputMcpCall = Schema.Struct({
  id,
  type: Schema.Literal("mcp_call"),
  status: answerField(
    Schema.Literal("in_progress", "completed", "incomplete", "failed"),
    "`failed` if the server or the tool failed: the model reads that and goes on."
  ),
  approval_request_id: answerField(Schema.NullOr(Schema.String), "The approval that it had; null without one."),
  server_label,
  name: answerField(Schema.String, "The server's name of the tool."),
  arguments: answerField(Schema.String, "JSON text."),
  output: answerField(Schema.NullOr(Schema.String), "The tool's result; null if there is none."),
  error: answerField(Schema.NullOr(CallError), "Why it failed; null otherwise.")
}).annotations({ identifier: "ResponsesMcpCall" })

const OutputMcpApproval = Schema.Struct({
  id,
  type: Schema.Literal("mcp_approval_request"),
  status: Schema.optionalWith(Schema.Literal("in_progress", "completed", "incomplete", "failed"), {
    exact: true
  }).annotations({ description: "Absent, unless the upstream asks for the approval." }),
  server_label,
  name: answerField(Schema.String, "The server's name of the tool."),
  arguments: answerField(Schema.String, "JSON text.")
}).annotations({
  identifier: "ResponsesMcpApprovalRequest",
  description: "A call that runs once the next request has an `mcp_approval_response` to it."
})

/** Output items of tools of MCP servers. */
export const mcpOutputs = {
  mcp_list_tools: OutputMcpList,
  mcp_call: OutputMcpCall,
  mcp_approval_request: OutputMcpApproval
}
