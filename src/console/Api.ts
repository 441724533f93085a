import { HttpApi, HttpApiEndpoint, HttpApiGroup, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { PageParams, pageOf } from "../contract/paging.ts"
import { BodyLimit, KnownFieldsOnly, OpenedBy } from "../contract/annotations.ts"
import { CodedError } from "../contract/codedErrors.ts"
import { withoutDecodeError } from "../contract/withoutDecodeError.ts"
import { OwnSession, SessionRecord } from "./SessionRecord.ts"

const longest = 500

const SignIn = Schema.Struct({
  key: Schema.optional(Schema.NonEmptyString.pipe(Schema.maxLength(longest))).annotations({
    description: "The admin key, or an API key."
  }),
  link: Schema.optional(Schema.NonEmptyString.pipe(Schema.maxLength(longest))).annotations({
    description: "The part after `#link=` in the link that the gateway printed."
  })
}).annotations({ identifier: "SignIn" })

/** The page's own session. */
export class SessionApi extends HttpApiGroup.make("session")
  .add(
    HttpApiEndpoint.get("show", "/console/session")
      .addSuccess(OwnSession)
      .annotateContext(OpenApi.annotations({ summary: "Read the current session" }))
  )
  .add(
    HttpApiEndpoint.post("open", "/console/session")
      .setPayload(SignIn)
      .addSuccess(OwnSession)
      .annotateContext(
        OpenApi.annotations({
          summary: "Sign in",
          description:
            "With a key, or once with a link. The cookie `gateway_session` opens for twelve hours what the key opens; " +
            "an earlier session of the browser ends. Ten tries a minute from an address are looked at, more are a 429."
        })
      )
  )
  .add(
    HttpApiEndpoint.del("close", "/console/session")
      .addSuccess(OwnSession)
      .annotateContext(OpenApi.annotations({ summary: "Sign out" }))
  )
  .addError(CodedError)
  .annotate(OpenedBy, "anyone")
  // Anybody may send one.
  .annotate(BodyLimit, 4 * 1024)
  .annotate(KnownFieldsOnly, true)
  .annotateContext(
    OpenApi.annotations({
      title: "Signing in",
      description: "Sessions of the console. They need no key; what changes something needs `x-gateway-csrf`."
    })
  ) {}

/** `/admin/v1/sessions`. */
export class AdminSessionsApi extends HttpApiGroup.make("adminSessions")
  .add(
    HttpApiEndpoint.get("list", "/admin/v1/sessions")
      .setUrlParams(Schema.Struct(PageParams))
      .addSuccess(pageOf(SessionRecord))
      .annotateContext(OpenApi.annotations({ summary: "List sessions, newest first" }))
  )
  .add(
    HttpApiEndpoint.del("revoke", "/admin/v1/sessions/:id")
      .setPath(Schema.Struct({ id: Schema.String.annotations({ description: "The session's id." }) }))
      .addSuccess(SessionRecord)
      .annotateContext(
        OpenApi.annotations({ summary: "End a session", description: "It stops working within a second." })
      )
  )
  .addError(CodedError)
  .annotate(OpenedBy, "admin-key")
  .annotate(KnownFieldsOnly, true)
  .annotateContext(OpenApi.annotations({ title: "Sessions", description: "Sessions of the console." })) {}

/** What the console adds to the contracts. */
export const ConsoleApi = withoutDecodeError(HttpApi.make("gatewayConsole").add(SessionApi).add(AdminSessionsApi))
