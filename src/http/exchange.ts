import type { PermittedModel } from "../contract/callers/permission.ts"
import type { Authenticate } from "../contract/callers/Authenticate.ts"
import type { Runtime } from "effect"
import type { Caller } from "../contract/callers/Caller.ts"
import type { AnyHandlers, Incoming } from "../contract/handlers.ts"
import type { RequestRecord } from "../contract/records/RequestRecord.ts"
import type { Lifecycle } from "../flow/Lifecycle.ts"
import type { Idempotency } from "../idempotency/Idempotency.ts"
import type { Limits } from "../limits/Limits.ts"
import type { Metrics, RequestCounter } from "../telemetry/Metrics.ts"
import type { Tracing } from "../telemetry/tracing/Tracing.ts"
import type { Reply } from "./answer.ts"
import type { RenderFailure } from "./compile.ts"
import type { Cors } from "./cors.ts"
import type { Framed } from "./Framed.ts"
import type { Unfinished } from "./Unfinished.ts"
import type { BodyLog, RecordedRequest } from "../telemetry/BodyLog.ts"

/** Authenticates the requests of an endpoint and applies their rate limits. */
export interface Authenticator extends Pick<Limits, "admit"> {
  readonly authenticate: Authenticate<Caller>
}

/** An authenticator for each kind of key: the callers', the operator's, and none. */
export type Authenticators = Readonly<Partial<Record<"api-key" | "admin-key" | "anyone", Authenticator>>>

/** The server's services for every request. */
export interface Serving {
  readonly runtime: Runtime.Runtime<never>
  readonly access: Authenticator
  readonly idempotency: Idempotency
  /** Called when a request has ended. */
  readonly ended: (record: RequestRecord) => void
  /** Limits what requests that are not finished hold. */
  readonly unfinished: Unfinished
  /** Stores bodies for accounts that enabled it. */
  readonly bodies: BodyLog
  readonly metrics: Metrics
  /** Records traces; undefined if tracing is off. */
  readonly tracing: Tracing | undefined
  readonly lifecycle: Lifecycle
  readonly cors: Cors | undefined
  /** The model that a name is an alias of. */
  readonly aliasOf: (model: string) => Omit<PermittedModel, "id"> | undefined
  readonly newRequestId: () => string
  /** How long a client may be silent while its request is read. */
  readonly idleSeconds: number
  /** How long a client may read nothing of its answer. */
  readonly takingSeconds: number
}

export type Handler = AnyHandlers[string]
/** The parts of Bun's server that a request needs. */
export type Server = Pick<Bun.Server<undefined>, "timeout" | "requestIP">

/** The state of one request until its answer. */
export interface Exchange {
  readonly serving: Serving
  readonly request: Bun.BunRequest | Request
  readonly server: Server
  readonly path: string
  readonly reply: Reply
  readonly record: RequestRecord
  readonly renderFailure: RenderFailure
  readonly count: RequestCounter
  /** The request's body, if it is to be stored with the answer. */
  recorded: RecordedRequest | undefined
  /** Set if it came through a socket. */
  readonly framed?: Framed | undefined
  /** True for Claude Code that a person has signed in: some refusals have another form (`agentRefusal.ts`). */
  isAgent: boolean
  /** True once Bun's idle timeout was lifted for it, or its answer is a stream. */
  hasWaited: boolean
}

/** A handler's input, as reflection sees it. */
export interface Input extends Record<string, unknown> {
  readonly request: Incoming
}
