import type { Effect } from "effect"
import type { JsonObject } from "../contract/fields.ts"
import type { Failure } from "../contract/Failure.ts"
import type { Conversation } from "../generation/Conversation.ts"
import type { Generation } from "../generation/Generation.ts"
import type { UpstreamError } from "./UpstreamError.ts"

/** What an upstream is told beside the conversation. */
export interface GenerateOptions {
  /** The model's id at the upstream. */
  readonly upstreamModel: string
  /** Whether the client reads a stream: an upstream may answer in one piece otherwise. */
  readonly stream: boolean
  readonly requestId: string
  /** Refuse what the upstream can't carry, naming the parameter, instead of leaving it out (`Generation.adapted`). */
  readonly strict?: boolean
}

/** A caller's request in an upstream's own dialect: what the gateway does not know in it survives. */
export interface NativeRequest {
  /** As the caller sent it. The upstream's model id and `stream` are put in; everything else goes as it is. */
  readonly body: JsonObject
  /** The caller's; those that belong to the dialect go along (`anthropic-beta`), keys and cookies never do. */
  readonly headers: Headers
  /**
   * Puts the caller's names into the answer object (a message, a response) wherever the dialect says it: the JSON
   * answer, `message_start.message`, the `response` of a lifecycle event. Sees the final one too, so it can keep it.
   */
  readonly rewrite: (answer: JsonObject) => JsonObject
}

/** A place that runs text models. */
export interface TextUpstream {
  readonly name: string
  /** Whether it runs web searches itself; undefined is no. */
  readonly searches?: boolean
  /**
   * Starts a generation. It succeeds once the upstream has accepted the request; an upstream that refuses fails here,
   * before anything was generated. Interruption cancels the call. Only an `UpstreamError` may be tried again. The call
   * may be made when this is called: what it gives is to be run right then, once.
   */
  readonly generate: (
    conversation: Conversation,
    options: GenerateOptions
  ) => Effect.Effect<Generation, Failure | UpstreamError>
  /** Where the upstream speaks a family's dialect: passes that family's requests through. */
  readonly native?: NativeDialect
}

export interface NativeDialect {
  readonly family: "messages" | "responses"
  /** Like `generate`; the generation's events are `native` ones beside `usage`, `finished` and `failed`. */
  readonly forward: (
    request: NativeRequest,
    options: GenerateOptions
  ) => Effect.Effect<Generation, Failure | UpstreamError>
}
