import { HttpApi, HttpApiEndpoint, HttpApiGroup, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { BodyLimit, KnownFieldsOnly, OpenedBy } from "../../contract/annotations.ts"
import { CodedError } from "../../contract/failures/codedErrors.ts"
import { answerField } from "../../contract/fields.ts"
import { withoutDecodeError } from "../../contract/failures/withoutDecodeError.ts"

/** A program that waits for a person to let it in. */
const WaitingProgram = Schema.Struct({
  object: Schema.Literal("waiting_program"),
  code: answerField(Schema.String, "The code that the program shows: `BCDF-GHJK`."),
  program: answerField(Schema.String, "Its name for itself: `claude_code`. Anyone may say so."),
  client: answerField(Schema.String, "Its user agent."),
  address: answerField(Schema.String, "The address that it asks from."),
  issues: answerField(
    Schema.Literal("token", "key"),
    "What it gets: tokens of an hour that it refreshes, or a key of 90 days."
  ),
  expires_at: answerField(Schema.String, "Until when it waits (ISO 8601, UTC).")
}).annotations({ identifier: "WaitingProgram" })
export type WaitingProgram = typeof WaitingProgram.Type

/** A program that asks for the tools, and waits at the address where its person's browser came from. */
const AskingProgram = Schema.Struct({
  object: Schema.Literal("asking_program"),
  program: answerField(Schema.String, "Its name for itself. Anyone may say so."),
  host: answerField(Schema.String, "The host that gets the answer."),
  own_computer: answerField(
    Schema.Boolean,
    "True for an address of the person's own computer, at which any program there could listen."
  ),
  expires_at: answerField(Schema.String, "Until when it waits (ISO 8601, UTC).")
}).annotations({ identifier: "AskingProgram" })
export type AskingProgram = typeof AskingProgram.Type

const request = Schema.String.pipe(Schema.maxLength(4_000)).annotations({
  description: "The request, as the address of the page has it."
})

/** Codes stand in bodies alone: proxies and the gateway log addresses. */
const code = Schema.String.pipe(Schema.maxLength(40)).annotations({ description: "The code, as it was read or typed." })

const decision = {
  approve: Schema.Boolean.annotations({ description: "True lets it in." }),
  account: Schema.optional(Schema.NonEmptyString.pipe(Schema.maxLength(200))).annotations({
    description: "The account that pays for its requests. Needed to let it in."
  })
}

const ProgramDecision = Schema.Struct({ code, ...decision }).annotations({ identifier: "ProgramDecision" })
export type ProgramDecision = typeof ProgramDecision.Type

const RequestDecision = Schema.Struct({ request, ...decision }).annotations({ identifier: "RequestDecision" })
export type RequestDecision = typeof RequestDecision.Type

/** The page on which a person lets a program in. */
export class DevicesApi extends HttpApiGroup.make("devices")
  .add(
    HttpApiEndpoint.post("show", "/console/devices/find")
      .setPayload(Schema.Struct({ code }).annotations({ identifier: "ProgramCode" }))
      .addSuccess(WaitingProgram)
      .annotateContext(
        OpenApi.annotations({
          summary: "Show a waiting program",
          description: "After ten wrong codes in a minute, a person waits up to 4 s for each."
        })
      )
  )
  .add(
    HttpApiEndpoint.post("decide", "/console/devices/decide")
      .setPayload(ProgramDecision)
      .addSuccess(
        Schema.Struct({
          object: Schema.Literal("program_decision"),
          approved: answerField(Schema.Boolean, "True if it was let in.")
        }).annotations({ identifier: "DecidedProgram" })
      )
      .annotateContext(OpenApi.annotations({ summary: "Let a program in, or keep it out" }))
  )
  .add(
    HttpApiEndpoint.post("showRequest", "/console/authorizations/find")
      .setPayload(Schema.Struct({ request }).annotations({ identifier: "ProgramRequest" }))
      .addSuccess(AskingProgram)
      .annotateContext(OpenApi.annotations({ summary: "Show a program that asks for the tools" }))
  )
  .add(
    HttpApiEndpoint.post("decideRequest", "/console/authorizations/decide")
      .setPayload(RequestDecision)
      .addSuccess(
        Schema.Struct({
          object: Schema.Literal("request_decision"),
          approved: answerField(Schema.Boolean, "True if it was let in."),
          location: answerField(Schema.String, "Where the browser goes now, with the answer for the program.")
        }).annotations({ identifier: "DecidedRequest" })
      )
      .annotateContext(OpenApi.annotations({ summary: "Let such a program in, or keep it out" }))
  )
  .addError(CodedError)
  .annotate(OpenedBy, "anyone")
  .annotate(BodyLimit, 8 * 1024)
  .annotate(KnownFieldsOnly, true)
  .annotateContext(
    OpenApi.annotations({
      title: "Programs of people",
      description:
        "Agents and command lines that sign in for a person, by the device flow (RFC 8628) or by a code (RFC 6749). They need the session of a person who signed in with the company's account, and `x-gateway-csrf`."
    })
  ) {}

/** Endpoints of people's programs, beside the admin API. */
export const DevicesContract = withoutDecodeError(HttpApi.make("gatewayDevices").add(DevicesApi))
