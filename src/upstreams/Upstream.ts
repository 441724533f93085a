import type { Effect, Runtime } from "effect"
import type { BodyText } from "../contract/BodyText.ts"
import type { JsonObject } from "../contract/fields.ts"
import type { Failure } from "../contract/Failure.ts"
import type { Future } from "../flow/Future.ts"
import type { Conversation } from "../generation/Conversation.ts"
import type { Generation } from "../generation/Generation.ts"
import type { UpstreamError } from "./UpstreamError.ts"

/** What an upstream has signed tool calls with, by the calls' ids. */
export type CallSignatures = ReadonlyMap<string, string>

/** What an upstream is told beside the conversation. */
export interface GenerateOptions {
  /** The model's id at the upstream. */
  readonly upstreamModel: string
  /** Whether the client reads a stream: an upstream may answer in one piece otherwise. */
  readonly stream: boolean
  readonly requestId: string
  /** What the upstream is told of the caller's trace: headers; absent where nobody records it. */
  readonly trace?: Readonly<Record<string, string>> | undefined
  /** The dialect that the caller speaks, where it is one that upstreams speak too. */
  readonly family?: PassthroughEndpoint["family"] | undefined
  /** Refuse what the upstream can't carry, naming the parameter, instead of leaving it out (`Generation.adapted`). */
  readonly strict?: boolean
  /**
   * Whether the beginning of its answer may be held back until its first words, because somebody else may be asked where it
   * fails, or nobody reads along. Undefined is no.
   */
  readonly isPatient?: boolean
  /** Of the tool calls that are sent back, where the upstream signs them. */
  readonly callSignatures?: CallSignatures | undefined
  /** Runs what needs a fiber. */
  readonly runtime: Runtime.Runtime<never>
}

/** A caller's request in an upstream's own dialect: what the gateway does not know in it survives. */
export interface PassthroughRequest {
  /** As the caller sent it. The upstream's model id and `stream` are put in; everything else goes as it is. */
  readonly body: JsonObject
  /** What the body was made of, where that is long: what is unchanged in it goes as it came. */
  readonly bodyText?: BodyText | undefined
  /** The caller's; those that belong to the dialect go along (`anthropic-beta`), keys and cookies never do. */
  readonly headers: Headers
  /**
   * Puts the caller's names into the answer object (a message, a response) wherever the dialect says it: the JSON
   * answer, `message_start.message`, the `response` of a lifecycle event. Sees the final one too, so it can keep it.
   */
  readonly rewrite: (answer: JsonObject) => JsonObject
  /** Names of what the caller sent and the body does not have any more; undefined is nothing. */
  readonly adapted?: ReadonlyArray<string>
}

/** A place that runs text models. */
export interface TextUpstream {
  readonly name: string
  /** Whose models it serves, by the conventions' name; its own where undefined. */
  readonly provider?: string
  /** Whether it runs web searches itself; undefined is no. */
  readonly searches?: boolean
  /** Whether it does for requests that pass through. */
  readonly searchesVerbatim?: boolean
  /** Whether the gateway searches for it: a request with a search is translated then, even where it could pass. */
  readonly isSearchedFor?: boolean
  /** Whether it takes PDFs as they are; undefined is no, and it is given their text. */
  readonly takesPdf?: boolean
  /** Whether it signs its tool calls, and wants the signatures back (`GenerateOptions.callSignatures`); undefined is no. */
  readonly signsCalls?: boolean
  /** Whether it remembers conversations by itself (`thread` of a message request); undefined is no. */
  readonly threads?: boolean
  /**
   * Where it keeps things (files, containers, conversations) under ids of its own: patterns of those that every account
   * may name, `*` for any run of characters. All others are whose account they were given to. Undefined keeps nothing.
   */
  readonly sharedIds?: ReadonlyArray<string>
  /** A translated request can name one of those; undefined is no. One that passes through always can. */
  readonly takesFileIds?: boolean
  /**
   * Starts a generation. It succeeds once the upstream has accepted the request; an upstream that refuses fails here,
   * before anything was generated. Interruption cancels the call. Only an `UpstreamError` may be tried again.
   */
  readonly generate: (
    conversation: Conversation,
    options: GenerateOptions
  ) => Future<Generation, Failure | UpstreamError>
  /** Where the upstream speaks a family's dialect: passes that family's requests through. */
  readonly forwarder?: PassthroughEndpoint
  /** Where it counts the input tokens of its dialect's requests: how many; undefined where it does not tell. */
  readonly countTokens?: (
    request: Pick<PassthroughRequest, "body" | "bodyText" | "headers">,
    upstreamModel: string
  ) => Effect.Effect<number | undefined>
  /** Where it makes embeddings, whose requests pass through too. */
  readonly embedder?: PassthroughEndpoint
  /** Where it may make conversations short, whose requests pass through too. */
  readonly compactor?: PassthroughEndpoint
}

/** How an upstream is given a family's requests as they are; undefined where it can't be. */
export const passthroughEndpointOf = (
  upstream: TextUpstream | undefined,
  family: PassthroughEndpoint["family"] | undefined
): PassthroughEndpoint | undefined => {
  if (upstream === undefined || family === undefined) return undefined
  const { compactor, embedder, forwarder } = upstream
  if (forwarder?.family === family) return forwarder
  if (embedder?.family === family) return embedder
  return compactor?.family === family ? compactor : undefined
}

export interface PassthroughEndpoint {
  readonly family: "messages" | "responses" | "chat" | "embeddings" | "compactions"
  /**
   * Like `generate`; the generation's events are `native` ones beside `usage`, `finished` and `failed`.
   *
   * @param otherwise what is done where it turns out that the upstream does not offer it
   */
  readonly send: (
    request: PassthroughRequest,
    options: GenerateOptions,
    otherwise: () => Future<Generation, Failure | UpstreamError>
  ) => Future<Generation, Failure | UpstreamError>
}
