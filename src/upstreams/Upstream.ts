import type { Effect } from "effect"
import type { Failure } from "../contract/Failure.ts"
import type { Conversation } from "../generation/Conversation.ts"
import type { Generation } from "../generation/Generation.ts"

/** What an upstream is told beside the conversation. */
export interface GenerateOptions {
  /** The model's id at the upstream. */
  readonly upstreamModel: string
  /** Whether the client reads a stream: an upstream may answer in one piece otherwise. */
  readonly stream: boolean
  readonly requestId: string
}

/** A place that runs text models. */
export interface TextUpstream {
  readonly name: string
  /**
   * Starts a generation. It succeeds once the upstream has accepted the request; an upstream that refuses fails here,
   * before anything was generated. Interruption cancels the call.
   */
  readonly generate: (conversation: Conversation, options: GenerateOptions) => Effect.Effect<Generation, Failure>
}
