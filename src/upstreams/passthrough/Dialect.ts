import type { HostedCall } from "../../contract/records/HostedCall.ts"
import type { JsonObject } from "../../contract/fields.ts"
import type { GenerationEvent, Usage } from "../../generation/GenerationEvent.ts"
import type { PutFile } from "../files/inlineFiles.ts"
import type { SseEvent } from "../framing/sse.ts"
import type { FrameNames } from "../framing/WholeFrames.ts"
import type { GenerateOptions } from "../Upstream.ts"

/** A dialect that passes through, with the parts that the gateway reads. */
export type Dialect = EventDialect | ChunkDialect

interface DialectBase {
  /** The caller's headers that belong to the dialect, in lower case. */
  readonly headers: ReadonlyArray<string>
  /** The upstream's headers that belong to it, in lower case. */
  readonly replyHeaders: ReadonlyArray<string>
  /** The upstream's body for a caller's body. `lost` collects the names of dropped parameters. */
  readonly body: (
    body: JsonObject,
    options: Pick<GenerateOptions, "upstreamModel" | "knownAs" | "key" | "stream" | "callSignatures">,
    lost?: (param: string) => void
  ) => JsonObject
  /** Puts files in the place of addresses in a caller's body. Absent if no place of the dialect refuses addresses. */
  readonly inlined?: (body: JsonObject, put: PutFile) => JsonObject
  /** The body without opaque reasoning; undefined if it has none. Absent if any key accepts it. */
  readonly withoutReasoning?: (body: JsonObject) => JsonObject | undefined
  /** True if its servers refuse documents, so that requests with one are translated: they get its text. */
  readonly refusesDocuments?: boolean
  /** Usage in the dialect's form. */
  readonly usage: (usage: Usage) => JsonObject
  /** True for the last frame that matters, in streams without an end marker. */
  readonly isLast: (frame: JsonObject) => boolean
  /** Begins to build the whole answer that a stream amounts to. */
  readonly gathers: () => Gathering
}

/** Builds a whole answer from the frames of a stream, as they come. */
export interface Gathering {
  readonly add: (frame: JsonObject) => void
  /**
   * The answer; undefined if the stream broke off.
   *
   * @param isMarked true if the stream had its end marker
   */
  readonly whole: (isMarked: boolean) => JsonObject | undefined
}

/** Reads signatures from an answer's chunks, and the rest of them at its end. */
export interface CallSigning {
  readonly read: (chunk: JsonObject) => ReadonlyArray<GenerationEvent>
  readonly end: () => ReadonlyArray<GenerationEvent>
}

/** A dialect whose frames are unnamed chunks of one shape (`chunks.ts`). */
export interface ChunkDialect extends Chunked {
  readonly family: "chat"
}

/** The parts of it that are the same for an endpoint beside the dialect. */
export interface Chunked extends DialectBase {
  /** A chunk with its pieces where the dialect's clients look for them; the same object if they are there. */
  readonly mended: (chunk: JsonObject) => JsonObject
  /** Texts in chunks with signatures, which have to be parsed. */
  readonly marks: ReadonlyArray<string>
  /** Reads the signatures of one answer's tool calls; absent if the server signs none. */
  readonly signing?: () => CallSigning
  /** True if its servers search the web on request. */
  readonly searches: boolean
  /** The searches that a chunk or a whole answer tells. */
  readonly searchesIn: (answer: JsonObject) => number
  /** Texts in chunks that cite pages, which are parsed if the request asks for a search. */
  readonly citationMarks: ReadonlyArray<string>
  /** The chunks that a whole answer amounts to, without the end marker. */
  readonly asStream: (answer: JsonObject) => ReadonlyArray<JsonObject>
}

/** A dialect whose frames are named events, few of which the gateway reads (`events.ts`). */
export interface EventDialect extends DialectBase {
  readonly family: "messages" | "responses"
  /**
   * Names of frames that may have to be parsed: those with names, usage or the end, and `message`, the name of a frame
   * without one. All others are copied as bytes.
   */
  readonly names: FrameNames
  /** True if such a frame has to be parsed. */
  readonly concerns: (event: string, data: string) => boolean
  /** A whole answer reduced to its usage and end, so that the rest need not be read. */
  readonly account: (answer: JsonObject) => JsonObject
  /** The part of the usage that a frame has: the one at the start, or the totals. */
  readonly usageIn: (frame: JsonObject) => "start" | "totals" | undefined
  /** True if an answer has no content. The last frame of some streams has no answer: an empty object. */
  readonly isEmpty: (answer: JsonObject) => boolean
  /** True if a frame announces or ends an answer but has none of its content. */
  readonly begins: (frame: JsonObject) => boolean
  /** True if a stream that begins with this frame omits fields that the dialect's clients need on every frame. */
  readonly lacks: (data: string) => boolean
  /** A frame with the fields that such a stream omits. */
  readonly numbered: (frame: JsonObject, number: number) => JsonObject
  /** An answer with the fields that the dialect's clients need and some servers omit. */
  readonly completed: (answer: JsonObject) => JsonObject
  /** The same of a frame that ends an answer without repeating it; the same object if it needs nothing. */
  readonly completedEnd: (frame: JsonObject, begun: JsonObject | undefined) => JsonObject
  /** The frames that a whole answer amounts to; undefined if it did not succeed. */
  readonly asStream: (answer: JsonObject) => ReadonlyArray<JsonObject> | undefined
  /** The last frame, if it tells nothing: it may be missing after a complete answer. */
  readonly lastFrame?: SseEvent
  /** The name of the frame that carries a finished item whole; absent if the dialect has none. */
  readonly itemEnd?: string
  /** The hosted tool that ran for such an item. Absent where `itemEnd` is. */
  readonly calledIn?: (item: unknown) => HostedCall | undefined
  /** The final answer, with the items of those frames if it has none itself. Absent where `itemEnd` is. */
  readonly withItems?: (answer: JsonObject, ended: ReadonlyArray<string>) => JsonObject
  /** The field of a frame that holds the answer object. */
  readonly answerIn: string
}
