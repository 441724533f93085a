import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { BodyLimit, Prefixes } from "../contract/annotations.ts"
import { CodedError } from "../contract/failures/codedErrors.ts"
import { answerField, JsonObject, required } from "../contract/fields.ts"

/** A message of the Model Context Protocol (JSON-RPC 2.0). */
const McpMessage = Schema.Struct({
  jsonrpc: required(Schema.Literal("2.0"), "The version of JSON-RPC. Required."),
  id: Schema.optional(Schema.Union(Schema.String, Schema.Number)).annotations({
    description: "The request's id; absent in a notification, which is answered with 202."
  }),
  method: Schema.optional(Schema.String).annotations({
    description: "`tools/list`, `tools/call`, `server/discover`, `initialize` or `ping`."
  }),
  params: Schema.optional(JsonObject).annotations({ description: "The method's parameters." })
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
export type McpAnswer = typeof McpAnswer.Type

const ServerPath = Schema.Struct({
  server: Schema.String.annotations({ description: "The server's name in the configuration (`mcp.servers`)." })
})

const NoStream = Schema.Struct({
  error: answerField(
    Schema.Struct({ message: answerField(Schema.String, "The reason.") }),
    "There is no stream to open: each answer comes with its request."
  )
}).annotations({ identifier: "McpNoStream" })
export type NoStream = typeof NoStream.Type

const summary = (summary: string, description: string) => OpenApi.annotations({ summary, description })

const all = HttpApiEndpoint.post("all", "/mcp")
  .setPayload(McpMessage)
  .addSuccess(McpAnswer)
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
  .annotateContext(summary("Ask one MCP server", "The tools of one registered server, by their own names."))

const stream = HttpApiEndpoint.get("stream", "/mcp")
  .addSuccess(NoStream, { status: 405 })
  .annotateContext(summary("Open a stream", "Always refused: answers come with their requests."))

const streamOfOne = HttpApiEndpoint.get("streamOfOne", "/mcp/:server")
  .setPath(ServerPath)
  .addSuccess(NoStream, { status: 405 })
  .annotateContext(summary("Open a stream of one server", "Always refused: answers come with their requests."))

/** `/mcp` and `/mcp/{server}` (docs/tools.md). */
export class McpApi extends HttpApiGroup.make("mcp")
  .add(all)
  .add(one)
  .add(stream)
  .add(streamOfOne)
  .addError(CodedError)
  .annotate(Prefixes, ["/mcp"])
  .annotate(BodyLimit, 1024 * 1024)
  .annotateContext(
    OpenApi.annotations({ title: "Tools", description: "Tools of registered MCP servers, for agents." })
  ) {}
