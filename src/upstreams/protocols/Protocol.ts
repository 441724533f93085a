import type { JsonObject } from "../../contract/fields.ts"
import type { InvalidRequest } from "../../contract/Failure.ts"
import type { Conversation } from "../../generation/Conversation.ts"
import type { GenerationEvent } from "../../generation/GenerationEvent.ts"
import type { Back } from "./back.ts"

/**
 * How one dialect of the upstreams is spoken: pure functions, so that a test is a conversation and a body, or a list of
 * frames and a list of events. Where it is spoken (address, key, deadlines) is the text upstream's.
 */
export interface Protocol<S> {
  /** Behind the base URL. */
  readonly path: string
  readonly headers: (apiKey: string | undefined) => Readonly<Record<string, string>>
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
}

export interface LowerOptions {
  /** The model's id at the upstream. */
  readonly model: string
  readonly stream: boolean
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
