import { version } from "../../../package.json"
import { HttpClient, HttpClientRequest } from "@effect/platform"
import { Data, Duration, Effect, Option, Schema } from "effect"
import { visible } from "../../contract/text/visible.ts"
import { overHttp, reasonOf } from "../overHttp.ts"
import { Unreachable } from "../operator/client.ts"

/** The gateway refuses a form: an error code of RFC 6749 or RFC 8628, and its words. */
export class Refused extends Data.TaggedError("Refused")<{ readonly error: string; readonly message: string }> {}

const Metadata = Schema.Struct({
  issuer: Schema.optional(Schema.String),
  device_authorization_endpoint: Schema.String,
  token_endpoint: Schema.String,
  revocation_endpoint: Schema.String
})

const DeviceAuthorization = Schema.Struct({
  device_code: Schema.Redacted(Schema.String),
  user_code: Schema.String,
  verification_uri: Schema.String,
  verification_uri_complete: Schema.optional(Schema.String),
  expires_in: Schema.Positive,
  interval: Schema.optional(Schema.Positive),
  login_notice: Schema.optional(Schema.String)
})
export type DeviceAuthorization = typeof DeviceAuthorization.Type

const TokenAnswer = Schema.Struct({
  access_token: Schema.Redacted(Schema.NonEmptyString),
  token_type: Schema.String.pipe(Schema.filter((type) => type.toLowerCase() === "bearer")),
  expires_in: Schema.optional(Schema.Positive),
  refresh_token: Schema.optional(Schema.Redacted(Schema.NonEmptyString)),
  email: Schema.optional(Schema.String)
})
export type TokenAnswer = typeof TokenAnswer.Type

const ErrorAnswer = Schema.Struct({ error: Schema.String, error_description: Schema.optional(Schema.String) })

type Form = Readonly<Record<string, string>>
type Answer<A> = Effect.Effect<A, Refused | Unreachable>

/** A gateway's endpoints for programs that sign people in (RFC 8628, 6749, 7009). */
export interface AuthorizationServer {
  readonly authorizeDevice: (form: Form) => Answer<DeviceAuthorization>
  readonly token: (form: Form) => Answer<TokenAnswer>
  readonly revoke: (form: Form) => Answer<void>
}

/** The longest wait for an answer to a form. */
const longest = Duration.seconds(30)

/**
 * Asks a gateway where people's programs sign in (RFC 8414).
 *
 * @param patience how long it may take to answer this first request
 */
export const authorizationServer = (
  address: string,
  patience: Duration.Duration
): Effect.Effect<AuthorizationServer, Refused | Unreachable> =>
  Effect.gen(function* () {
    const path = "/.well-known/oauth-authorization-server"
    const { body, status } = yield* send(address, HttpClientRequest.get(`${address}${path}`), patience)
    if (status === 404) {
      return yield* new Unreachable({
        message: `${address} has no sign-in for people: it needs sign_in in its configuration, or is an older version`
      })
    }
    const metadata = yield* readAs(Metadata, address, { body, status })
    const endpoints = [metadata.device_authorization_endpoint, metadata.token_endpoint, metadata.revocation_endpoint]
    const { origin } = new URL(address)
    if (endpoints.some((endpoint) => URL.parse(endpoint)?.origin !== origin)) {
      const { issuer } = metadata
      const instead = issuer === undefined || URL.parse(issuer)?.origin === origin ? "" : `; use ${issuer}`
      return yield* new Unreachable({
        message: `${address} names addresses of another host to sign in at, which are not used${instead}`
      })
    }
    const post = (url: string, form: Form) =>
      send(address, HttpClientRequest.post(url).pipe(HttpClientRequest.bodyUrlParams(form)), longest)
    return {
      authorizeDevice: (form) =>
        Effect.flatMap(post(metadata.device_authorization_endpoint, form), (answer) =>
          readAs(DeviceAuthorization, address, answer)
        ),
      token: (form) =>
        Effect.flatMap(post(metadata.token_endpoint, form), (answer) => readAs(TokenAnswer, address, answer)),
      revoke: (form) =>
        Effect.flatMap(post(metadata.revocation_endpoint, form), (answer) => readAs(Schema.Unknown, address, answer))
    }
  })

interface Received {
  readonly status: number
  /** Undefined if it is not JSON. */
  readonly body: unknown
}

const parsed = Schema.decodeOption(Schema.parseJson())

/** The page that approves the code shows the user agent. */
const headers = { accept: "application/json", "user-agent": `model-gateway/${version}` }

/** Redirects are not followed: a token goes to the address that was named, or nowhere. */
const send = (address: string, request: HttpClientRequest.HttpClientRequest, patience: Duration.Duration) =>
  Effect.flatMap(HttpClient.HttpClient, (http) => http.execute(HttpClientRequest.setHeaders(request, headers))).pipe(
    Effect.flatMap((response) =>
      Effect.map(response.text, (text): Received => ({
        status: response.status,
        body: Option.getOrUndefined(parsed(text))
      }))
    ),
    Effect.timeoutFail({
      duration: patience,
      onTimeout: () =>
        new Unreachable({ message: `${address} does not answer within ${Duration.toSeconds(patience)} s` })
    }),
    Effect.catchTags({
      RequestError: (failure) => new Unreachable({ message: `${address} can't be reached: ${reasonOf(failure)}` }),
      ResponseError: () => new Unreachable({ message: `${address} has broken off its answer` })
    }),
    overHttp(request.url, { redirect: "manual" })
  )

const isError = Schema.is(ErrorAnswer)

/** A refusal is the client's error alone: a gateway that is busy or away (429, 5xx) refuses nothing. */
const readAs = <A, I>(schema: Schema.Schema<A, I>, address: string, { body, status }: Received): Answer<A> => {
  const error = isError(body) ? body : undefined
  if (status >= 200 && status < 300) {
    return Effect.mapError(
      Schema.decodeUnknown(schema)(body),
      () => new Unreachable({ message: `${address} gave an answer that this version can't read: is it a gateway?` })
    )
  }
  const words = error === undefined ? undefined : visible(error.error_description ?? error.error)
  if (error !== undefined && status >= 400 && status < 500 && status !== 429) {
    return new Refused({ error: error.error, message: words ?? "" })
  }
  return new Unreachable({
    message: `${address} answered with status ${status}${words === undefined ? ": is it a gateway?" : `: ${words}`}`
  })
}
