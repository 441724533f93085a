import { Schema } from "effect"
import { maybe, required } from "../../contract/fields.ts"

const id = maybe(Schema.String)
const status = maybe(Schema.String).annotations({ description: "The returned status; ignored." })

const ApprovalRequest = Schema.Struct({
  type: Schema.Literal("mcp_approval_request"),
  id: id.annotations({ description: "The id that a response to it names." }),
  status,
  server_label: required(Schema.String, "The request's label of the server."),
  name: required(Schema.String, "The server's name of the tool."),
  arguments: required(Schema.String, "JSON text.")
}).annotations({ identifier: "ResponsesReplayedMcpApprovalRequest" })

const ApprovalResponse = Schema.Struct({
  type: Schema.Literal("mcp_approval_response"),
  id: id.annotations({ description: "Id of the item. The gateway creates one if it is absent." }),
  status,
  approval_request_id: required(Schema.String, "Id of the `mcp_approval_request`, which is in the conversation."),
  approve: required(Schema.Boolean, "True runs the call before the model goes on; false tells the model so."),
  reason: maybe(Schema.String).annotations({ description: "Why it is not approved, for the model." })
}).annotations({ identifier: "ResponsesMcpApprovalResponse" })

/** The approval of a call of a server's tool, and the answer to it. */
export const mcpInputs = { mcp_approval_request: ApprovalRequest, mcp_approval_response: ApprovalResponse }
