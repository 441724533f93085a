import type { JsonObject } from "../../contract/fields.ts"
import type { GenerationEvent, Usage } from "../../generation/GenerationEvent.ts"
import type { FrameNames } from "../framing/WholeFrames.ts"
import type { GenerateOptions } from "../Upstream.ts"

/** A dialect in which requests and answers pass through, and what of them the gateway must look at. */
export type Dialect = EventDialect | ChunkDialect

interface Passing {
  /** The caller's headers that belong to the dialect, lower case. */
  readonly headers: ReadonlyArray<string>
  /** The caller's body as the upstream gets it; `lost` hears the names of what it is not told. */
  readonly body: (
    body: JsonObject,
    options: Pick<GenerateOptions, "upstreamModel" | "stream" | "callSignatures">,
    lost?: (param: string) => void
  ) => JsonObject
  /** Usage in the dialect's words. */
  readonly usage: (usage: Usage) => JsonObject
  /** Whether a frame is the last one that matters, where a stream has no mark of its own for that. */
  readonly isLast: (frame: JsonObject) => boolean
  /**
   * The answer in one piece that a stream should have been; undefined where it has broken off.
   *
   * @param isMarked whether the stream has said that it is over
   */
  readonly asWhole: (frames: ReadonlyArray<JsonObject>, isMarked: boolean) => JsonObject | undefined
}

/** One whose frames are chunks of an answer, all alike and without names (`chunks.ts`). */
export interface ChunkDialect extends Passing {
  readonly family: "chat"
  /** Those of a chunk's tool calls that the server has signed. */
  readonly signed: (chunk: JsonObject) => ReadonlyArray<GenerationEvent>
  /** Whether its servers search the web where a request asks for it. */
  readonly searches: boolean
  /** The stream that an answer in one piece should have been, without its mark. */
  readonly asStream: (answer: JsonObject) => ReadonlyArray<JsonObject>
}

/** One whose frames are events with names, few of which matter (`forwarded.ts`). */
export interface EventDialect extends Passing {
  readonly family: "messages" | "responses"
  /**
   * The names of frames that may have to be parsed: those that name things, end the answer, or count, and `message`, as
   * which a frame without a name goes. All others go through as they are.
   */
  readonly names: FrameNames
  /** Whether such a frame must be. */
  readonly concerns: (event: string, data: string) => boolean
  /** An answer in one piece without what tells neither usage nor the end, so that it need not be looked through. */
  readonly account: (answer: JsonObject) => JsonObject
  /** Whether a frame tells usage or is where it belongs: that of the start, or the totals. */
  readonly tells: (frame: JsonObject) => "start" | "totals" | undefined
  /** Whether a frame says nothing of the answer yet, only that there will be one. */
  readonly begins: (frame: JsonObject) => boolean
  /** Whether a stream whose first frame this is leaves out what the dialect's clients need on every frame. */
  readonly lacks: (data: string) => boolean
  /** A frame with what such a stream leaves out. */
  readonly numbered: (frame: JsonObject, number: number) => JsonObject
  /** An answer with the fields that the dialect's clients need and some servers leave out. */
  readonly completed: (answer: JsonObject) => JsonObject
  /** The stream that an answer in one piece should have been; undefined where it did not succeed. */
  readonly asStream: (answer: JsonObject) => ReadonlyArray<JsonObject> | undefined
  /** The name of the frame that tells an item which has ended, whole; absent where there is none. */
  readonly itemEnd?: string
  /** Where a frame holds the answer object; undefined where it holds none. */
  readonly answerIn: string
}
