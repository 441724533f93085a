import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { KnownFieldsOnly, OpenedBy } from "../contract/annotations.ts"
import { CodedError } from "../contract/failures/codedErrors.ts"
import { answerField } from "../contract/fields.ts"
import { only, pageOf } from "../contract/paging.ts"
import { ToolServerRecord } from "./ToolServerRecord.ts"

/** The result of asking a server for its tools. */
const ToolServerTest = Schema.Struct({
  object: Schema.Literal("tool_server_test"),
  ok: answerField(Schema.Boolean, "True if it answered with a list of tools."),
  ms: answerField(Schema.Int, "The duration in ms."),
  error: answerField(Schema.NullOr(Schema.String), "The error; null if there was none."),
  server: answerField(ToolServerRecord, "The server afterwards.")
}).annotations({ identifier: "ToolServerTest" })

/** `/admin/v1/tools`. */
export class AdminToolsApi extends HttpApiGroup.make("adminTools")
  .add(
    HttpApiEndpoint.get("list", "/admin/v1/tools")
      .setUrlParams(Schema.Struct({ account: only("The account whose keys count, for a role of several accounts.") }))
      .addSuccess(pageOf(ToolServerRecord))
      .annotateContext(
        OpenApi.annotations({
          summary: "List the MCP servers and their tools",
          description:
            "As seen by the process that answers. Roles of some accounts see the servers and tools that the account may use, members those of their keys there."
        })
      )
  )
  .add(
    HttpApiEndpoint.post("test", "/admin/v1/tools/:server/test")
      .setPath(Schema.Struct({ server: Schema.String.annotations({ description: "The server's name." }) }))
      .addSuccess(ToolServerTest)
      .annotateContext(
        OpenApi.annotations({
          summary: "List the tools of a server now",
          description: "Asks the server, whatever is kept of it. No tool is called."
        })
      )
  )
  .addError(CodedError)
  .annotate(OpenedBy, "admin-key")
  .annotate(KnownFieldsOnly, true)
  .annotateContext(OpenApi.annotations({ title: "Tools", description: "MCP servers, whose tools callers may use." })) {}
