import { HttpApiClient, HttpClient, HttpClientRequest } from "@effect/platform"
import type { HttpClientError } from "@effect/platform"
import { Effect, Layer, Stream } from "effect"
import type { ParseResult, Redacted } from "effect"
import { AdminApi } from "../../admin/Api.ts"
import { ConsoleApi } from "../../people/signIn/Api.ts"
import type { Failure } from "../../contract/failures/Failure.ts"
import { methodsOf } from "../../contract/handlers.ts"
import type { CallByName } from "../../contract/handlers.ts"
import { overHttp, reasonOf } from "../overHttp.ts"
import { ownCertificate } from "../ownAddress.ts"
import { clientOf, Unreachable } from "./client.ts"
import type { AdminGateway } from "./client.ts"
import { followLogs } from "./followLogs.ts"
import { operationsOn } from "./operations.ts"
import { Operator } from "./Operator.ts"

/** A gateway elsewhere. */
interface Place {
  readonly url: string
  /** Its `GATEWAY_ADMIN_KEY`. */
  readonly key: Redacted.Redacted
  /** It serves on this machine. */
  readonly isHere?: boolean
}

type ClientFailure = Failure | HttpClientError.HttpClientError | ParseResult.ParseError

/** The admin API of a gateway, by HTTP. */
export interface RemoteGateway extends AdminGateway {
  readonly ask: CallByName
}

export const remoteGateway = ({ isHere, key, url }: Place): Effect.Effect<RemoteGateway> =>
  Effect.gen(function* () {
    const methods = yield* HttpApiClient.make(AdminApi.addHttpApi(ConsoleApi), {
      baseUrl: url,
      transformClient: HttpClient.mapRequest(HttpClientRequest.bearerToken(key))
    })
    const calls = methodsOf<ClientFailure>(methods)
    const http = HttpClient.mapRequest(yield* HttpClient.HttpClient, (request) =>
      request.pipe(HttpClientRequest.prependUrl(url), HttpClientRequest.bearerToken(key))
    )

    const ask: CallByName = (group, operation, parts) => {
      const call = calls[group]?.[operation]
      return call === undefined
        ? Effect.dieMessage(`no operation ${group}.${operation}`)
        : Effect.mapError(call(parts), (failure) => failureAt(url, failure))
    }
    const client = clientOf(ask)
    return {
      client,
      ask,
      isServed: Effect.succeed(true),
      followLogs: (query) =>
        // A plain request first: its failures have a message, unlike those of the stream.
        Stream.fromEffect(client.adminWatch.logs({ urlParams: { limit: 0 } })).pipe(
          Stream.drain,
          Stream.concat(Stream.mapError(followLogs(http, query), (failure) => failureAt(url, failure))),
          Stream.concat(Stream.fail(new Unreachable({ message: `${url} has ended the stream` })))
        )
    } satisfies RemoteGateway
  }).pipe(overHttp(url, isHere === true ? ownCertificate : {}))

/** Turns transport failures into `Unreachable`, with the gateway's address; its own failures pass. */
const failureAt = (url: string, failure: ClientFailure): Failure | Unreachable => {
  const unreachable = (message: string) => new Unreachable({ message: `${url} ${message}` })
  switch (failure._tag) {
    case "RequestError":
      return unreachable(`can't be reached: ${reasonOf(failure)}`)
    case "ResponseError":
      return unreachable(`answered with status ${failure.response.status}: is it a gateway?`)
    case "ParseError":
      return unreachable("gave an answer that this version can't read: is it a gateway of another version?")
    case "AuthInvalid":
    case "AuthMissing":
      return unreachable(`refuses GATEWAY_ADMIN_KEY: ${failure.message}`)
    default:
      return failure.message.startsWith("Invalid URL (")
        ? unreachable(
            "does not have this endpoint: it has an address of its own for operators (server.admin), was started without GATEWAY_ADMIN_KEY, or is an older version"
          )
        : failure
  }
}

/** Operations on a gateway elsewhere. */
export const remoteOperator = (place: Place) => Layer.effect(Operator, Effect.map(remoteGateway(place), operationsOn))
