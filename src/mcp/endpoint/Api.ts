import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { BodyLimit, OfMessages } from "../../contract/annotations.ts"
import { CodedError } from "../../contract/failures/codedErrors.ts"
import { answerField, JsonObject, maybe, required } from "../../contract/fields.ts"

const Id = Schema.Union(Schema.String, Schema.Number)

/** A message of an MCP client (docs/tools.md). */
export const McpMessage = Schema.Struct({
  jsonrpc: required(Schema.Literal("2.0"), "Always `2.0`. Required."),
  id: maybe(Id).annotations({ description: "The client's id of the request; a notification has none." }),
  method: maybe(Schema.String).annotations({
    description: "`server/discover`, `initialize`, `ping`, `tools/list` or `tools/call`, or that of a notification."
  }),
  params: maybe(JsonObject).annotations({
    description: "`name` and `arguments` of `tools/call`. In revision 2026-07-28, `_meta` has the client's version."
  })
}).annotations({
  identifier: "McpMessage",
  examples: [{ jsonrpc: "2.0", id: 1, method: "tools/list" }]
})
export type McpMessage = typeof McpMessage.Type

const RpcError = Schema.Struct({
  code: answerField(Schema.Int, "JSON-RPC's code, or one of MCP's."),
  message: answerField(Schema.String, "What is wrong."),
  data: Schema.optionalWith(answerField(JsonObject, "The supported versions, for `-32022`."), { exact: true })
})
export type RpcError = typeof RpcError.Type

/** An answer to a request: a result or an error. */
export const McpAnswer = Schema.Struct({
  jsonrpc: Schema.Literal("2.0"),
  id: answerField(Schema.NullOr(Id), "The request's id."),
  result: Schema.optionalWith(answerField(JsonObject, "The result, as the method defines it."), { exact: true }),
  error: Schema.optionalWith(answerField(RpcError, "Present if there is no result."), { exact: true })
}).annotations({ identifier: "McpAnswer" })
export type McpAnswer = typeof McpAnswer.Type

const path = Schema.Struct({ server: answerField(Schema.String, "The server's name in `mcp.servers`.") })

/** Refusals of messages are in JSON-RPC's form, those of HTTP requests in the usual one. */
const withRpcErrors = (summary: string, description: string) =>
  OpenApi.annotations({
    summary,
    description,
    transform: ({ responses, ...operation }) => {
      const json = "application/json"
      const answer = responses[200].content[json].schema
      const withAnswer = (status: number) => {
        const { [json]: coded, ...others } = responses[status].content
        return { ...responses[status], content: { ...others, [json]: { schema: { anyOf: [coded.schema, answer] } } } }
      }
      const accepted = { description: "The notification was accepted. The answer has no body." }
      return {
        ...operation,
        responses: { ...responses, 202: accepted, 400: withAnswer(400), 404: withAnswer(404) }
      }
    }
  })

const all = HttpApiEndpoint.post("all", "/mcp")
  .setPayload(McpMessage)
  .addSuccess(McpAnswer)
  .annotateContext(
    withRpcErrors(
      "Use the tools of all servers",
      "One message of MCP's streamable HTTP, of revision 2026-07-28 or those since 2025-03-26. Tools are named `server__tool`."
    )
  )

const one = HttpApiEndpoint.post("one", "/mcp/:server")
  .setPath(path)
  .setPayload(McpMessage)
  .addSuccess(McpAnswer)
  .annotateContext(
    withRpcErrors("Use the tools of one server", "The same for one server. Tools have the server's names.")
  )

/** `/mcp` (docs/tools.md). */
export class McpApi extends HttpApiGroup.make("mcp")
  .add(all)
  .add(one)
  .addError(CodedError)
  .annotate(BodyLimit, 1024 * 1024)
  .annotate(OfMessages, true)
  .annotateContext(
    OpenApi.annotations({ title: "MCP", description: "Tools of the registered MCP servers, for agents." })
  ) {}
