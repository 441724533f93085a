import type { JsonObject } from "../../contract/fields.ts"
import type { InvalidRequest } from "../../contract/failures/Failure.ts"
import type { Conversation } from "../../generation/Conversation.ts"
import type { GenerationEvent, Usage } from "../../generation/GenerationEvent.ts"
import type { EndpointPath } from "../../config/baseUrl.ts"
import type { Endpoint, Placeable } from "../Endpoint.ts"
import type { Framing } from "../framing/Framing.ts"
import type { Fetches } from "../files/inlineFiles.ts"
import type { Dialect } from "../passthrough/Dialect.ts"
import type { Reader } from "../text/generationOf.ts"
import type { CallSignatures, GenerateOptions, PassthroughRequest } from "../Upstream.ts"
import type { Back } from "./back.ts"
import type { BesideFamily, BytesFamily, WholeFamily } from "../../contract/kinds.ts"
import type { FieldFates } from "./fieldFates.ts"
import type { ServedDefaults } from "./servedDefaults.ts"

/**
 * A dialect of the upstreams, as pure functions: a test is a conversation and a body, or a list of frames and a list of
 * events. Address, key and deadlines belong to the text upstream.
 */
export interface Protocol<S> {
  readonly endpoint: Endpoint
  /** The path that lists the models. */
  readonly models: EndpointPath
  /** The addresses of its lists, if it has several or they are at another server than the models. */
  readonly listedAt?: (baseUrl: string) => ReadonlyArray<string>
  /** True if its list is the same for every account, so that it does not tell which models this one may ask. */
  readonly isListOfAll?: true
  /** The ids in a list of models that has a form of its own; undefined if it is no list. Absent for OpenAI's form. */
  readonly modelIds?: (answer: unknown) => ReadonlyArray<string> | undefined
  /** Its endpoints beside the one of its dialect. */
  readonly beside?: Places
  /** The path that counts a request's tokens; absent if it has none. */
  readonly counts?: EndpointPath
  /** The form of its streams; server-sent events unless given. */
  readonly framing?: Framing
  /** True if its upstreams run web searches themselves. */
  readonly searches: boolean
  /** The provider of its opaque reasoning, which other providers refuse; absent if it has none. */
  readonly signs?: string
  /** True if only the organisation that got its opaque reasoning may send it back. Defaults to false. */
  readonly signsByKey?: true
  /** True if its tool calls are signed and the signatures must be returned. Defaults to false. */
  readonly signsCalls?: boolean
  /** A request without its signatures, if a refusal in these words is about them. */
  readonly unsigned?: (body: JsonObject, refusal: string) => JsonObject | undefined
  /** The fate of each field of a conversation. */
  readonly fates: FieldFates
  /** True if a translated request can name a file that the upstream stores. Defaults to false. */
  readonly takesFileIds?: true
  /** True at the dialect's own place: what is refused of a caller's own request there is the caller's to read. */
  readonly isOwn?: boolean
  /** Fits a caller's own request to its place. Absent if that takes everything. */
  readonly place?: Place
  /** The parts of the dialect that passthrough reads; absent if no family speaks it. */
  readonly dialect?: Dialect
  /** True for media types that it accepts. The text of other documents is extracted before `lower`. */
  readonly takesDocument: (mediaType: string) => boolean
  /** The parts whose addresses its place refuses, so that the gateway fetches them; absent if there are none. */
  readonly fetches?: Fetches
  readonly lower: (conversation: Conversation, options: LowerOptions) => Lowered
  /** Puts the upstream's defaults into a request. */
  readonly withDefaults: ServedDefaults
  readonly begin: (back: Back) => S
  /** The header of an answer that tells the tier that served it, if frames don't. */
  readonly tierHeader?: string
  /** Reads one parsed frame of a stream. */
  readonly step: (state: S, frame: JsonObject) => readonly [S, ReadonlyArray<GenerationEvent>]
  /** Ends the stream with `finished` or `failed`, unless a frame did. `marked`: an end marker (`[DONE]`) came. */
  readonly end: (state: S, marked: boolean) => ReadonlyArray<GenerationEvent>
  /** The frames that a whole answer amounts to; undefined if it is not an answer. */
  readonly frames: (answer: JsonObject) => ReadonlyArray<JsonObject> | undefined
  /**
   * The request that continues a paused answer (`finished` with `pause`), from the previous request and the whole
   * answer, undefined if that broke off; undefined if it cannot be continued. Absent if upstreams never pause.
   */
  readonly goesOn?: (asked: JsonObject, answer: JsonObject | undefined, used: Usage) => JsonObject | undefined
}

/** The parts of a protocol that read an answer in chunks. */
export type ChunkWire<S> = Pick<Protocol<S>, "begin" | "step" | "end" | "frames">

/** A place of a dialect, which takes some betas, fields and versions of it and refuses others. */
export interface Place {
  readonly fit: (asked: Placeable, options: FitOptions) => Fit
  /** The sent betas that a refusal is about. Absent if what is refused is the caller's to read. */
  readonly betaRefusal?: (message: string, sent: ReadonlyArray<string>) => BetaRefusal | undefined
}

/** Names of betas that an upstream gets, or does not get. */
export type Betas = { readonly allow: ReadonlyArray<string> } | { readonly drop: ReadonlyArray<string> }

export interface FitOptions {
  /** The model's public id. */
  readonly model: string
  /** The operator's choice, which wins over the place's. */
  readonly betas: Betas | undefined
  /** Betas that the place takes by its row but has refused. */
  readonly refused: ReadonlySet<string>
  /** True if the request's tokens are counted. */
  readonly isCount?: boolean
}

export interface Fit extends Placeable {
  /** Names of what was left out or changed. */
  readonly adapted: ReadonlyArray<string>
  /** The betas that go to the place, but those of the operator's choice. */
  readonly betas: ReadonlyArray<string>
}

export interface BetaRefusal {
  readonly betas: ReadonlyArray<string>
  /** False if it may be any of them. */
  readonly isNamed: boolean
}

/** A guardrail of Bedrock's. */
export interface Guardrail {
  readonly id: string
  readonly version: string
}

/** The endpoints of a protocol beside the one of its dialect. */
export type Places = Readonly<
  Partial<{
    readonly [F in BesideFamily]:
      | (F extends WholeFamily ? WholePlace : F extends BytesFamily ? BytesPlace : ChunkedPlace)
      | undefined
  }>
>

/** An endpoint whose answers may come in chunks. */
export interface ChunkedPlace {
  readonly path: EndpointPath
  /** True for a model that has it, as far as its name tells. */
  readonly serves: (model: string) => boolean
  /** The upstream's body for a caller's body. */
  readonly body: (body: JsonObject, options: Pick<GenerateOptions, "upstreamModel" | "stream">) => JsonObject
  /** @param tellsCost true if usage has the charge */
  readonly read: (request: PassthroughRequest, isStream: boolean, tellsCost: boolean) => Reader
}

/** An endpoint whose answers are of any media type. */
export type BytesPlace = Pick<WholePlace, "path">

/** An endpoint whose answers come whole. */
export interface WholePlace {
  readonly path: EndpointPath
  /** Its base URL, if it is another one than the configured one. */
  readonly baseUrl?: (configured: string) => string
  /** False for a model that lacks it, as far as its name tells. Absent if all have it. */
  readonly serves?: (model: string) => boolean
  /** The form of its bodies; the family's own unless given. Files are data URLs then. */
  readonly form?: WholeForm
}

/** Bodies in a form of the dialect's own. */
export interface WholeForm {
  /** A request in the family's form as the dialect has it, or the reason that it cannot be sent. */
  readonly lower: (request: JsonObject) => Pick<Lowered, "body" | "adapted"> | InvalidRequest
  /** An answer in the family's form, or `error` with OpenAI's; undefined if it is none. */
  readonly raise: (answer: JsonObject) => JsonObject | undefined
}

export interface LowerOptions {
  /** The model's id at the upstream. */
  readonly model: string
  /** The public id of the model behind `model`, if the operator named one. */
  readonly knownAs?: string | undefined
  /** The name of the upstream's key, if it has several. */
  readonly key?: string | undefined
  readonly stream: boolean
  /** True to cache every prompt, for dialects that need cache marks. */
  readonly cachesAll?: boolean
  /** The guardrail that every request names, at Bedrock. */
  readonly guardrail?: Guardrail | undefined
  /** Signatures of the upstream's tool calls, by call id. */
  readonly callSignatures?: CallSignatures | undefined
}

export interface Lowered {
  readonly body: JsonObject
  /** Names of parameters that the dialect cannot express. */
  readonly adapted: ReadonlyArray<string>
  /** Set if a parameter can neither be expressed nor dropped. */
  readonly refused: InvalidRequest | undefined
  readonly back: Back
  /** Stop sequences that the dialect cannot express. The gateway searches the text for them. */
  readonly stops: ReadonlyArray<string>
}
