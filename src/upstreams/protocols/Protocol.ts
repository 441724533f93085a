import type { JsonObject } from "../../contract/fields.ts"
import type { InvalidRequest } from "../../contract/Failure.ts"
import type { Conversation } from "../../generation/Conversation.ts"
import type { GenerationEvent, Usage } from "../../generation/GenerationEvent.ts"
import type { EndpointPath } from "../../config/baseUrl.ts"
import type { Endpoint } from "../Endpoint.ts"
import type { Dialect } from "../passthrough/Dialect.ts"
import type { CallSignatures } from "../Upstream.ts"
import type { Back } from "./back.ts"

/**
 * How one dialect of the upstreams is spoken: pure functions, so that a test is a conversation and a body, or a list of
 * frames and a list of events. A configured place of it (address, key, deadlines) is the text upstream's.
 */
export interface Protocol<S> {
  readonly endpoint: Endpoint
  /** Where it says which models there are. */
  readonly models: EndpointPath
  /** Where it makes embeddings, as OpenAI does; absent where it does not. */
  readonly embeddings?: EndpointPath
  /** Where it tells how many tokens a request has, in its own dialect; absent where it does not. */
  readonly counts?: EndpointPath
  /** Where it makes conversations short, as OpenAI does; absent where it does not. Not every server of it offers that. */
  readonly compacts?: EndpointPath
  /** Whether its upstreams run web searches themselves. */
  readonly searches: boolean
  /** Whose the opaque form of its reasoning is, which nobody else takes back; absent where it has none. */
  readonly signs?: string
  /** Whether its tool calls are signed, and wanted back so; undefined is no. */
  readonly signsCalls?: boolean
  /** A translated request can name a file that its upstream keeps; undefined is no. */
  readonly takesFileIds?: true
  /** Where it is a family's own dialect: what the gateway looks at in requests and answers that pass through. */
  readonly dialect?: Dialect
  /** The kinds of documents it takes as they are; the text of others is extracted before `lower`. */
  readonly takesDocument: (mediaType: string) => boolean
  readonly lower: (conversation: Conversation, options: LowerOptions) => Lowered
  readonly begin: (back: Back) => S
  /** One frame of a stream, its data parsed. */
  readonly step: (state: S, frame: JsonObject) => readonly [S, ReadonlyArray<GenerationEvent>]
  /** The stream's end, marked (`[DONE]`) or not: `finished` or `failed` unless the frames said so. */
  readonly end: (state: S, marked: boolean) => ReadonlyArray<GenerationEvent>
  /** The frames that would have streamed an answer which came in one piece; undefined where it is none. */
  readonly frames: (answer: JsonObject) => ReadonlyArray<JsonObject> | undefined
  /**
   * The request for the rest of an answer that its upstream has paused (`finished` with `pause`), from the one before and
   * the frames that came; undefined where it can't be asked for. Absent where upstreams don't pause.
   */
  readonly goesOn?: (asked: JsonObject, frames: ReadonlyArray<JsonObject>, used: Usage) => JsonObject | undefined
}

export interface LowerOptions {
  /** The model's id at the upstream. */
  readonly model: string
  readonly stream: boolean
  /** Whether every prompt is to be cached, where the dialect has to be told. */
  readonly cachesAll?: boolean
  /** What the upstream has signed its tool calls with, by their ids. */
  readonly callSignatures?: CallSignatures | undefined
}

export interface Lowered {
  readonly body: JsonObject
  /** Names of what the caller asked for and the dialect can't say. */
  readonly adapted: ReadonlyArray<string>
  /** What can neither be said nor left out. */
  readonly refused: InvalidRequest | undefined
  readonly back: Back
  /** Stop sequences the dialect can't say, for the gateway to look for in the text. */
  readonly stops: ReadonlyArray<string>
}
