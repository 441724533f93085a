/* oxlint-disable typescript/consistent-type-assertions -- a group's names and handlers meet by reflection; the types above tie them */
import type { HttpApiEndpoint, HttpApiGroup } from "@effect/platform"
import type { SqlError } from "@effect/sql/SqlError"
import { Context, Layer } from "effect"
import type { Effect, Scope } from "effect"
import type { BodyText } from "./BodyText.ts"
import type { Caller } from "./Caller.ts"
import type { Future } from "../flow/Future.ts"
import type { RequestRecord } from "./RequestRecord.ts"
import type { Conflict, EdgeFailure } from "./Failure.ts"
import type { Trace } from "./Trace.ts"
import type { TellStanding } from "./Standing.ts"

/** The request as the server saw it: what a handler may need beside the decoded parts. */
export interface Incoming {
  /** `x-request-id` of the reply. */
  readonly id: string
  readonly method: string
  readonly path: string
  readonly headers: Headers
  /** The parsed body before the contract narrowed it: unknown fields are still there for a pass-through. */
  readonly body: unknown
  /** What the body was read from, where that is long; let go of once an upstream has taken the request. */
  readonly bodyText?: BodyText | undefined
  /** Whether the body is so long that it is worked on in steps, between which everyone else has a turn. */
  readonly isLarge?: boolean
  /** Headers for the reply, whatever it will be; handlers and services may add theirs. */
  readonly replyHeaders: Record<string, string>
  /** Brings up to date what they say of the caller's limits; absent where replies say nothing of them. */
  readonly tellStanding?: TellStanding | undefined
  /** What is noted of it; absent where nobody keeps a record, as of a task's own calls. */
  readonly record?: RequestRecord | undefined
  /** Its place in a trace; absent where nobody records it. */
  readonly trace?: Trace | undefined
  /** Fires when running work may go on no longer: what still streams ends with an in-band error. */
  readonly shutdown: AbortSignal
  /** Whether what opened the endpoint still does; there where its answer is long-lived. */
  readonly stillOpens?: Effect.Effect<boolean> | undefined
  /** There where the request has an `Idempotency-Key`. */
  readonly once?: Once
  /** The socket that the request came by, which others may come by too; absent where it came by itself. */
  readonly connection?: object | undefined
}

/** How the answer of a request with an `Idempotency-Key` is kept, where the server can't see it by itself. */
export interface Once {
  /**
   * Keeps an answer in the transaction that makes what it names (a task), so that there is never one without the other.
   * Fails where an earlier request was answered in the meantime, which undoes the transaction.
   */
  readonly keep: (answer: unknown) => Effect.Effect<void, Conflict | SqlError>
  /** Forgets what was kept, in the transaction that takes back what it names. */
  readonly forget: Effect.Effect<void, SqlError>
  /** How a streamed answer ended, to be told before its last bytes leave: one that failed is not kept. */
  readonly ended: (how: "finished" | "failed" | "hang-up") => void
}

type Parts<E extends HttpApiEndpoint.HttpApiEndpoint.Any> = Omit<HttpApiEndpoint.HttpApiEndpoint.Request<E>, "request">

/** What a handler gets: the decoded parts of its endpoint, who calls, and the request. */
export type Input<E extends HttpApiEndpoint.HttpApiEndpoint.Any> = Parts<E> & {
  readonly caller: Caller
  readonly request: Incoming
}

/**
 * One function for each endpoint of a group. It answers with the endpoint's success, or with a `Response` of its own
 * (a stream), and fails only with what the endpoint or its group declares: an effect that does so, or work that has begun.
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

/** The group must be able to render whatever the edge itself can fail with. */
type RendersEdge<G> = [EdgeFailure] extends [HttpApiGroup.HttpApiGroup.Error<G>]
  ? unknown
  : "this group's errors must include every EdgeFailure"

/** The service that `handlers` provides for a group and that the server asks for, so that none can be forgotten. */
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
