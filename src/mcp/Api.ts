import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { BodyLimit, Prefixes } from "../contract/annotations.ts"
import { CodedError } from "../contract/failures/codedErrors.ts"
import { answerField, JsonObject, maybe, required } from "../contract/fields.ts"

/** A message of the Model Context Protocol (JSON-RPC 2.0). */
const McpMessage = Schema.Struct({
  jsonrpc: required(Schema.Literal("2.0"), "The version of JSON-RPC. Required."),
  id: maybe(Schema.Union(Schema.String, Schema.Number)).annotations({
    description: "The request's id; absent in a notification, which is answered with 202."
  }),
  method: maybe(Schema.String).annotations({
    description: "`tools/list`, `tools/call`, `server/discover`, `initialize` or `ping`."
  }),
  params: maybe(JsonObject).annotations({ description: "The method's parameters." })
}).annotations({
  identifier: "McpMessage",
  examples: [{ jsonrpc: "2.0", id: 1, method: "tools/list", params: {} }]
})

const McpAnswer = Schema.Struct({
  jsonrpc: answerField(Schema.Literal("2.0"), "The version of JSON-RPC."),
  id: answerField(Schema.NullOr(Schema.Union(Schema.String, Schema.Number)), "The request's id."),
  result: Schema.optionalWith(answerField(JsonObject, "The method's result."), { exact: true }),
  error: Schema.optionalWith(answerField(JsonObject, "`code`, `message` and `data`, in place of a result."), {
    exact: true
  })
}).annotations({ identifier: "McpAnswer" })

const ServerPath = Schema.Struct({
  server: Schema.String.annotations({ description: "The server's name in the configuration (`mcp.servers`)." })
})

const summary = (summary: string, description: string) => OpenApi.annotations({ summary, description })

const all = HttpApiEndpoint.post("all", "/mcp")
  .setPayload(McpMessage)
  .addSuccess(McpAnswer)
  .addSuccess(Schema.Void, { status: 202 })
  .addError(McpAnswer, { status: 400 })
  .addError(McpAnswer, { status: 404 })
  .annotateContext(
    summary(
      "Ask all MCP servers",
      "The tools of all registered servers, by names such as `jira__search`, for clients of the Model Context Protocol."
    )
  )

const one = HttpApiEndpoint.post("one", "/mcp/:server")
  .setPath(ServerPath)
  .setPayload(McpMessage)
  .addSuccess(McpAnswer)
  .addSuccess(Schema.Void, { status: 202 })
  .addError(McpAnswer, { status: 400 })
  .addError(McpAnswer, { status: 404 })
  .annotateContext(summary("Ask one MCP server", "The tools of one registered server, by their own names."))

/** `/mcp` and `/mcp/{server}` (docs/tools.md). */
export class McpApi extends HttpApiGroup.make("mcp")
  .add(all)
  .add(one)
  .addError(CodedError)
  .annotate(Prefixes, ["/mcp"])
  .annotate(BodyLimit, 1024 * 1024)
  .annotateContext(
    OpenApi.annotations({ title: "Tools", description: "Tools of registered MCP servers, for agents." })
  ) {}
