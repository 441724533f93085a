import { HttpApi, HttpApiEndpoint, HttpApiGroup, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { BodyLimit, KnownFieldsOnly, OpenedBy } from "../../contract/annotations.ts"
import { CodedError } from "../../contract/failures/codedErrors.ts"
import { withoutDecodeError } from "../../contract/failures/withoutDecodeError.ts"
import { answerField } from "../../contract/fields.ts"

/** An MCP server at which each person has an account of their own. */
const ToolConnection = Schema.Struct({
  object: Schema.Literal("tool_connection"),
  server: answerField(Schema.String, "The server's name."),
  connected_at: answerField(
    Schema.NullOr(Schema.String),
    "Since when the person's account is connected (ISO 8601, UTC); null: it is not."
  ),
  scopes: answerField(Schema.Array(Schema.String), "What was granted there."),
  wants_more: answerField(Schema.Boolean, "True if the server wants more than was granted: connect it again."),
  failing_since: answerField(
    Schema.NullOr(Schema.String),
    "Since when the server's sign-in has not answered; null: it does."
  )
}).annotations({ identifier: "ToolConnection" })
export type ToolConnection = typeof ToolConnection.Type

const path = Schema.Struct({ server: Schema.String.annotations({ description: "The server's name." }) })

/** People's accounts at MCP servers. */
export class ToolsApi extends HttpApiGroup.make("tools")
  .add(
    HttpApiEndpoint.get("list", "/console/tools/connections")
      .addSuccess(
        Schema.Struct({ object: Schema.Literal("list"), data: Schema.Array(ToolConnection) }).annotations({
          identifier: "ToolConnections"
        })
      )
      .annotateContext(OpenApi.annotations({ summary: "List the servers that a person connects" }))
  )
  .add(
    HttpApiEndpoint.post("connect", "/console/tools/:server/connect")
      .setPath(path)
      .addSuccess(
        Schema.Struct({
          object: Schema.Literal("tool_sign_in"),
          location: answerField(Schema.String, "The page of the server's sign-in, where the browser goes now.")
        }).annotations({ identifier: "ToolSignIn" })
      )
      .annotateContext(OpenApi.annotations({ summary: "Begin to connect an account" }))
  )
  .add(
    HttpApiEndpoint.del("disconnect", "/console/tools/:server")
      .setPath(path)
      .addSuccess(ToolConnection)
      .annotateContext(
        OpenApi.annotations({
          summary: "Disconnect an account",
          description: "The gateway forgets its tokens. The server's own page ends what it has granted."
        })
      )
  )
  .addError(CodedError)
  .annotate(OpenedBy, "anyone")
  .annotate(BodyLimit, 1024)
  .annotate(KnownFieldsOnly, true)
  .annotateContext(
    OpenApi.annotations({
      title: "Accounts at servers of tools",
      description:
        "For servers with `auth: person`. They need the session of a person who signed in with the company's account, and `x-gateway-csrf` for changes."
    })
  ) {}

/** Endpoints of people's accounts at servers, beside the admin API. */
export const ToolsContract = withoutDecodeError(HttpApi.make("gatewayTools").add(ToolsApi))
