import { HttpApi, HttpApiEndpoint, HttpApiGroup, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { PageParams, pageOf } from "../../contract/paging.ts"
import { BodyLimit, ForOperators, KnownFieldsOnly, OpenedBy } from "../../contract/annotations.ts"
import { CodedError } from "../../contract/failures/codedErrors.ts"
import { withoutDecodeError } from "../../contract/failures/withoutDecodeError.ts"
import { OwnSession, SessionRecord } from "./SessionRecord.ts"

const maxLength = 500

const SignIn = Schema.Struct({
  key: Schema.optional(Schema.NonEmptyString.pipe(Schema.maxLength(maxLength))).annotations({
    description: "The admin key, or an API key."
  }),
  link: Schema.optional(Schema.NonEmptyString.pipe(Schema.maxLength(maxLength))).annotations({
    description: "The part after `#link=` in the link that the gateway printed."
  })
}).annotations({ identifier: "SignIn" })
export type SignIn = typeof SignIn.Type

/** The page's own session. */
export class SessionApi extends HttpApiGroup.make("session")
  .add(
    HttpApiEndpoint.get("show", "/console/session")
      .setUrlParams(
        Schema.Struct({
          account: Schema.optional(Schema.String.pipe(Schema.maxLength(maxLength))).annotations({
            description: "Of `accounts`, only those whose id contains this."
          })
        })
      )
      .addSuccess(OwnSession)
      .annotateContext(OpenApi.annotations({ summary: "Read the current session" }))
  )
  .add(
    HttpApiEndpoint.post("open", "/console/session")
      .setPayload(SignIn)
      .addSuccess(OwnSession)
      .annotate(ForOperators, true)
      .annotateContext(
        OpenApi.annotations({
          summary: "Sign in",
          description:
            "With a key, or once with a link. For twelve hours, the cookie `gateway_session` opens what the key opens; " +
            "an earlier session of the browser ends. After ten wrong keys in a minute, an address waits up to 4 s for each."
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
  // Unauthenticated.
  .annotate(BodyLimit, 4 * 1024)
  .annotate(KnownFieldsOnly, true)
  .annotateContext(
    OpenApi.annotations({
      title: "Signing in",
      description: "Sessions of the console. They need no key; changes need `x-gateway-csrf`."
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

/** Endpoints of the console, beside the admin API. */
export const ConsoleApi = withoutDecodeError(HttpApi.make("gatewayConsole").add(SessionApi).add(AdminSessionsApi))
