import type { Effect, Runtime } from "effect"
import type { BodyText } from "../contract/bodies/BodyText.ts"
import type { Caller } from "../contract/callers/Caller.ts"
import type { JsonObject } from "../contract/fields.ts"
import type { Failure } from "../contract/failures/Failure.ts"
import type { Incoming } from "../contract/handlers.ts"
import type { FallbackReason } from "../contract/records/FallbackReason.ts"
import type { Future } from "../flow/Future.ts"
import type { CarriedField, Conversation } from "../generation/Conversation.ts"
import type { Generation } from "../generation/Generation.ts"
import type { Usage } from "../generation/GenerationEvent.ts"
import type { PieceCounts } from "../contract/records/measures.ts"
import type { Served } from "../contract/records/Served.ts"
import type { AtKey } from "./keys/KeyPool.ts"
import type { Deadlines } from "./calls/client.ts"
import type { Preparing } from "./calls/Preparing.ts"
import type { PlaceRefusals } from "./calls/PlaceRefusals.ts"
import type { UpstreamError } from "./UpstreamError.ts"
import type { BesideFamily, CalledFamily } from "../contract/kinds.ts"

/** The signatures of tool calls, by call id. */
export type CallSignatures = ReadonlyMap<string, string>

/** The request that a call serves, and its caller. */
export interface ServedRequest {
  readonly caller: Pick<Caller, "account">
  readonly request: Pick<Incoming, "body">
}

/** The options of a call, beside the conversation. */
export interface GenerateOptions {
  /** The model's id at the upstream. */
  readonly upstreamModel: string
  /** The public id of the model behind it, if the operator named one. */
  readonly knownAs?: string | undefined
  /** The name of the upstream's key, if it has several. */
  readonly key?: string | undefined
  /** True if the client reads a stream. Otherwise an upstream may answer in one piece. */
  readonly stream: boolean
  readonly requestId: string
  /** Headers that continue the caller's trace; absent where tracing is off. */
  readonly trace?: Readonly<Record<string, string>> | undefined
  /** The caller's dialect, if upstreams speak it too. */
  readonly family?: CalledFamily | undefined
  /** Refuse what the upstream cannot carry, naming the parameter, instead of dropping it (`Generation.adapted`). */
  readonly strict?: boolean
  /**
   * Allows the call to hold back the beginning of its answer until the first words, because another route can still
   * take over or because the client does not stream. Defaults to false.
   */
  readonly isPatient?: boolean
  /** Time limits in place of the upstream's own, in ms. */
  readonly deadlines?: Partial<Pick<Deadlines, "firstByteMs" | "idleMs">> | undefined
  /**
   * True if another route or model is left to answer for that reason: then an answer without content that shows the
   * reason is refused. Absent if none is.
   */
  readonly mayLeave?: ((reason: FallbackReason) => boolean) | undefined
  /** Leave out a search that the gateway would run. */
  readonly isUnsearched?: true | undefined
  /** Signatures of the tool calls in the conversation, for upstreams that sign them. */
  readonly callSignatures?: CallSignatures | undefined
  /** The files at its addresses are fetched once, and refused by the names of its fields. Absent for calls of the gateway's own. */
  readonly serves?: ServedRequest | undefined
  /**
   * Raises the request's hold to what it has used so far and the most of a further round. False if the caller's money
   * does not cover it. Absent where nothing needs to be held.
   */
  readonly extend?: ((used: Usage, next?: Conversation) => Effect.Effect<boolean>) | undefined
  /** The runtime for work that needs a fiber. */
  readonly runtime: Runtime.Runtime<never>
  /** Hears of work before the request is sent, such as reading a PDF. Without it, a call is sent when it is made. */
  readonly attempt?: Preparing | undefined
  /** Hears of fields that the upstream refuses although its place is thought to take them. */
  readonly refusals?: PlaceRefusals | undefined
}

/** A caller's request in the upstream's own dialect. Fields that the gateway does not know survive. */
export interface PassthroughRequest {
  /** The caller's body. The gateway sets the model id and `stream`, and leaves the rest as it is. */
  readonly body: JsonObject
  /** The text that a long body was parsed from. Parts that did not change are sent as they came. */
  readonly bodyText?: BodyText | undefined
  /** The caller's headers. Those of the dialect (`anthropic-beta`) go to the upstream; keys and cookies never do. */
  readonly headers: Headers
  /**
   * Puts the caller's names into the answer object (a message, a response) wherever the dialect has one: the JSON
   * answer, `message_start.message`, the `response` of a lifecycle event. It sees the final answer too, and may keep
   * it.
   */
  readonly rewrite: (answer: JsonObject) => JsonObject
  /**
   * Stores the whole answer, with the caller's names, before the last frame of a stream is sent. Called again if its
   * usage is counted afterwards. Only stored chat completions have it.
   */
  readonly keep?: ((answer: JsonObject) => void) | undefined
  /** Counts of the request by the gateway, for answers that do not tell them. */
  readonly counts?: PieceCounts
  /** Names of parameters that were dropped from the body; undefined if none were. */
  readonly adapted?: ReadonlyArray<string>
}

/** An upstream that serves text models. */
export interface TextUpstream extends AtKey<TextUpstream> {
  readonly name: string
  /** The provider's name in OpenTelemetry's conventions; undefined means the upstream's own name. */
  readonly provider?: string
  /** True if it goes on with a stream whose reader left, and bills all of it. Defaults to false. */
  readonly runsOn?: boolean
  /** True if it runs web searches itself. Defaults to false. */
  readonly searches?: boolean
  /** True if it runs web searches for passthrough requests. */
  readonly searchesInPassthrough?: boolean
  /** True if the gateway runs the searches of translated requests for it. */
  readonly isSearchedFor?: boolean
  /** True if it accepts PDFs. Otherwise it gets their text. Defaults to false. */
  readonly takesPdf?: boolean
  /**
   * True if it signs its tool calls and wants the signatures back (`GenerateOptions.callSignatures`). Defaults to
   * false.
   */
  readonly signsCalls?: boolean
  /** The tier and the place that it sends where a request names none. */
  readonly defaults?: Served
  /** The optional fields of a conversation that it carries. Defaults to none. */
  readonly carries?: ReadonlySet<CarriedField>
  /** True if it remembers conversations itself (`thread` of a message request). Defaults to false. */
  readonly threads?: boolean
  /**
   * Set if the upstream stores files, containers or conversations under ids of its own: patterns of the ids that every
   * account may name, with `*` for any run of characters. Any other id belongs to the account that received it.
   */
  readonly sharedIds?: ReadonlyArray<string>
  /** True if a translated request can name a stored file. Passthrough requests always can. Defaults to false. */
  readonly takesFileIds?: boolean
  /**
   * Starts a generation. Succeeds once the upstream has accepted the request, and fails if it refuses before anything
   * was generated. Interruption cancels the call. Only an `UpstreamError` may be retried.
   */
  readonly generate: (
    conversation: Conversation,
    options: GenerateOptions
  ) => Future<Generation, Failure | UpstreamError>
  /** Passthrough for the family whose dialect the upstream speaks. */
  readonly passthrough?: PassthroughEndpoint
  /** Counts the input tokens of a request in its dialect; undefined if the upstream does not answer with a count. */
  readonly countTokens?: (
    request: Pick<PassthroughRequest, "body" | "bodyText" | "headers">,
    to: Pick<GenerateOptions, "knownAs" | "serves" | "upstreamModel">
  ) => Effect.Effect<number | undefined>
  /** Counts the input tokens of a translated conversation; undefined if the upstream does not answer with a count. */
  readonly countConversation?: (conversation: Conversation, upstreamModel: string) => Effect.Effect<number | undefined>
  /** Passthrough for families that it has beside its dialect. */
  readonly beside?: Readonly<Partial<Record<BesideFamily, PassthroughEndpoint>>>
}

export interface PassthroughEndpoint {
  readonly family: CalledFamily
  /** False for a model that it does not serve. Absent if it serves all. */
  readonly serves?: (model: string, knownAs?: string) => boolean
  /** True if its servers refuse documents, so that requests with one are translated: they get its text. */
  readonly refusesDocuments?: boolean
  /** True if it calls the MCP servers that a request names. Defaults to false. */
  readonly runsServers?: boolean
  /**
   * Like `generate`, but the events are `passthrough` ones beside `usage`, `finished` and `failed`.
   *
   * @param otherwise the fallback if the upstream turns out not to offer the endpoint
   */
  readonly send: (
    request: PassthroughRequest,
    options: GenerateOptions,
    otherwise: () => Future<Generation, Failure | UpstreamError>
  ) => Future<Generation, Failure | UpstreamError>
}
