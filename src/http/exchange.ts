import type { Effect, Runtime } from "effect"
import type { Caller } from "../contract/Caller.ts"
import type { AuthInvalid, AuthMissing, Forbidden, RateLimited, UnknownRoute } from "../contract/Failure.ts"
import type { AnyHandlers, Incoming } from "../contract/handlers.ts"
import type { RequestRecord } from "../contract/RequestRecord.ts"
import type { Lifecycle } from "../flow/Lifecycle.ts"
import type { Idempotency } from "../idempotency/Idempotency.ts"
import type { Limits } from "../limits/Limits.ts"
import type { Metrics, RequestCounter } from "../telemetry/Metrics.ts"
import type { Tracing } from "../telemetry/tracing/Tracing.ts"
import type { Reply } from "./answer.ts"
import type { BodyBudget } from "./BodyBudget.ts"
import type { RenderFailure } from "./compile.ts"
import type { Cors } from "./cors.ts"
import type { Framed } from "./Framed.ts"
import type { BodyLog, RecordedRequest } from "../telemetry/BodyLog.ts"

/** Who opens endpoints: says who calls, and whether they may call now. */
export interface Authenticator extends Pick<Limits, "admit"> {
  readonly authenticate: (
    headers: Headers,
    knocking: { readonly request: Request; readonly server: Server }
  ) => Effect.Effect<Caller, AuthMissing | AuthInvalid | Forbidden | RateLimited | UnknownRoute>
}

/** Whose keys open what: the gateway's callers', the operator's, and anybody who may try one. */
export type Authenticators = Readonly<Partial<Record<"api-key" | "admin-key" | "anyone", Authenticator>>>

/** What the server brings to every request. */
export interface Serving {
  readonly runtime: Runtime.Runtime<never>
  readonly access: Authenticator
  readonly idempotency: Idempotency
  /** Hears of every request when it is over. */
  readonly ended: (record: RequestRecord) => void
  /** How much of bodies may be read at a time. */
  readonly bodyBudget: BodyBudget
  /** Keeps bodies of accounts that want it. */
  readonly bodies: BodyLog
  readonly metrics: Metrics
  /** Who records traces; undefined where nobody does. */
  readonly tracing: Tracing | undefined
  readonly lifecycle: Lifecycle
  readonly cors: Cors | undefined
  readonly newRequestId: () => string
  /** How long a client may be silent while its request is read. */
  readonly idleSeconds: number
  /** How long a client may take nothing of its answer. */
  readonly takingSeconds: number
}

export type Handler = AnyHandlers[string]
/** What a request needs of the server that it came by. */
export type Server = Pick<Bun.Server<undefined>, "timeout" | "requestIP">

/** What one request has gathered on its way to the handler. */
export interface Exchange {
  readonly serving: Serving
  readonly request: Bun.BunRequest | Request
  readonly server: Server
  readonly path: string
  readonly reply: Reply
  readonly record: RequestRecord
  readonly renderFailure: RenderFailure
  readonly count: RequestCounter
  /** Its body, where that is to be kept with the answer. */
  recorded: RecordedRequest | undefined
  /** There where it came by a socket. */
  readonly framed?: Framed | undefined
  /** Whether Bun's idle timeout has been lifted for it, or its answer is one that is read for a while. */
  hasWaited: boolean
}

/** What a handler gets, as reflection sees it. */
export interface Input extends Record<string, unknown> {
  readonly request: Incoming
}
