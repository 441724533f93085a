/* oxlint-disable typescript/consistent-type-assertions -- a group's names and handlers meet by reflection; the types above tie them */
import type { HttpApiEndpoint, HttpApiGroup } from "@effect/platform"
import type { SqlError } from "@effect/sql/SqlError"
import { Context, Layer } from "effect"
import type { Effect, Scope } from "effect"
import type { BodyText } from "./bodies/BodyText.ts"
import type { UploadedFile } from "./bodies/UploadedFile.ts"
import type { Caller } from "./callers/Caller.ts"
import type { Future } from "../flow/Future.ts"
import type { RequestRecord } from "./records/RequestRecord.ts"
import type { JournalOwner } from "./JournalOwner.ts"
import type { Conflict, EdgeFailure } from "./failures/Failure.ts"
import type { Trace } from "./records/Trace.ts"
import type { TellStanding } from "./callers/Standing.ts"

/** The server's view of a request, for handlers that need more than the decoded parts. */
export interface Incoming {
  /** `x-request-id` of the reply. */
  readonly id: string
  readonly method: string
  readonly path: string
  readonly headers: Headers
  /** The parsed body before decoding, with the unknown fields that passthrough needs. */
  readonly body: unknown
  /** A long body's text; released once an upstream has accepted the request. */
  readonly bodyText?: BodyText | undefined
  /** The body is large enough to be processed in steps that yield to other requests. */
  readonly isLarge?: boolean
  /** A long body, of which `body` is only the frame; on disk until the request has ended (`LongBody`). */
  readonly long?: UploadedFile | undefined
  /** False if the body certainly names no file by `file_id`; absent if that is not known. */
  readonly namesFiles?: boolean
  /** Headers of the reply, success or failure; handlers and services may add to them. */
  readonly replyHeaders: Record<string, string>
  /** Updates the rate-limit headers; absent for groups whose replies carry none. */
  readonly tellStanding?: TellStanding | undefined
  /** Absent for requests that are not recorded, such as a task's own calls. */
  readonly record?: RequestRecord | undefined
  /** The request's span; absent if it is not traced. */
  readonly trace?: Trace | undefined
  /** Fires at the drain deadline: running streams end with an in-band error. */
  readonly shutdown: AbortSignal
  /** Rechecks the caller's permission; present for long-lived answers. */
  readonly stillOpens?: Effect.Effect<boolean> | undefined
  /** Present if the request has an `Idempotency-Key`. */
  readonly once?: Once
  /** The WebSocket that carried the request, shared with other requests; absent for plain HTTP. */
  readonly connection?: object | undefined
}

/** Stores the answer of a request with an `Idempotency-Key` when the server cannot capture it itself. */
export interface Once {
  /** The owner of the journal of calls: all requests with this key and body. */
  readonly journal: JournalOwner
  /**
   * Stores an answer in the transaction that creates its subject (a task). Fails, which rolls the transaction back, if a
   * request with the same key was answered in the meantime.
   */
  readonly keep: (answer: unknown) => Effect.Effect<void, Conflict | SqlError>
  /** Deletes the stored answer, in the transaction that deletes its subject. */
  readonly forget: Effect.Effect<void, SqlError>
  /** Reports a stream's end before its last bytes are sent; a failed answer is not stored. */
  readonly ended: (how: "finished" | "failed" | "hang-up") => void
}

/** The decoded path, query and body of an endpoint. */
export type Parts<E extends HttpApiEndpoint.HttpApiEndpoint.Any> = Omit<
  HttpApiEndpoint.HttpApiEndpoint.Request<E>,
  "request"
>

/** A handler's input: the decoded parts of its endpoint, the caller and the request. */
export type Input<E extends HttpApiEndpoint.HttpApiEndpoint.Any> = Parts<E> & {
  readonly caller: Caller
  readonly request: Incoming
}

/**
 * One function for each endpoint of a group. It answers with the endpoint's success or its own `Response` (a stream), and
 * fails only with errors that the endpoint or its group declares. It returns an effect, or a future of started work.
 */
export type Handlers<G> = {
  readonly [E in HttpApiGroup.HttpApiGroup.Endpoints<G> as HttpApiEndpoint.HttpApiEndpoint.Name<E>]: (
    input: Input<E>
  ) => Answer<
    HttpApiEndpoint.HttpApiEndpoint.Success<E> | Response,
    HttpApiEndpoint.HttpApiEndpoint.Error<E> | HttpApiGroup.HttpApiGroup.Error<G>
  >
}

type Answer<A, E> = Effect.Effect<A, E> | Future<A, E>

/** The group must render every failure of the edge. */
type RendersEdge<G> = [EdgeFailure] extends [HttpApiGroup.HttpApiGroup.Error<G>]
  ? unknown
  : "this group's errors must include every EdgeFailure"

/** The service that `handlers` provides for a group. The server requires one for each, so a missing group does not compile. */
export interface HandlersOf<Name extends string> {
  readonly _: unique symbol
  readonly group: Name
}

/** The handlers of every group in a union of groups. */
export type HandlersOfAll<Groups> = Groups extends HttpApiGroup.HttpApiGroup.Any
  ? HandlersOf<HttpApiGroup.HttpApiGroup.Name<Groups>>
  : never

/** The server's view: every handler takes a record of parts. */
export type AnyHandlers = Readonly<
  Record<string, (input: Readonly<Record<string, unknown>>) => Answer<unknown, unknown>>
>

export const handlersTag = <Name extends string>(group: Name) =>
  Context.GenericTag<HandlersOf<Name>, AnyHandlers>(`gateway/handlers/${group}`)

/** Ties a group of endpoints to the functions that answer them. */
export const handlers = <G extends HttpApiGroup.HttpApiGroup.Any, E, R>(
  group: G & RendersEdge<G>,
  make: Effect.Effect<Handlers<G>, E, R>
): Layer.Layer<HandlersOf<HttpApiGroup.HttpApiGroup.Name<G>>, E, Exclude<R, Scope.Scope>> => {
  // `Any` hides the identifier that every group has.
  const { identifier } = group as unknown as { identifier: HttpApiGroup.HttpApiGroup.Name<G> & string }
  return Layer.scoped(handlersTag(identifier), make as unknown as Effect.Effect<AnyHandlers, E, R>) as never
}

/** The operations of groups, as functions of their decoded parts. */
export type Calls<Groups, Failure> = {
  readonly [G in Extract<Groups, HttpApiGroup.HttpApiGroup.Any> as HttpApiGroup.HttpApiGroup.Name<G>]: {
    readonly [E in HttpApiGroup.HttpApiGroup.Endpoints<G> as HttpApiEndpoint.HttpApiEndpoint.Name<E>]: (
      parts: Parts<E>
    ) => Effect.Effect<HttpApiEndpoint.HttpApiEndpoint.Success<E>, Failure>
  }
}

/** Calls an operation by the names of its group and endpoint. */
export type CallByName = (group: string, operation: string, parts: object) => Effect.Effect<unknown, unknown>

/** Operations as functions. Their types come from a contract that need not be imported. */
export const callsBy = <Groups, Failure>(call: CallByName): Calls<Groups, Failure> =>
  membersBy((group) => membersBy((operation) => (parts: object) => call(group, operation, parts))) as never

const membersBy = (memberOf: (name: string) => unknown): object =>
  new Proxy({}, { get: (_, name) => memberOf(String(name)) })

type Methods<Failure> = Readonly<
  Record<string, Readonly<Record<string, (parts: object) => Effect.Effect<unknown, Failure>>>>
>

/** The methods of an `HttpApiClient`, by the names of groups and endpoints. */
export const methodsOf = <Failure>(client: object): Methods<Failure> => client as never
