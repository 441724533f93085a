import type { InvalidRequest } from "../contract/failures/Failure.ts"
import type { Demand } from "./Demand.ts"

/**
 * A request to a text model. Families decode into it, protocols lower it. Consecutive assistant items are one turn.
 */
export interface Conversation {
  /** The caller's model id. */
  readonly model: string
  /** System text before everything else, in order; may be empty. */
  readonly system: ReadonlyArray<string>
  /** The caller's cache marks of system texts, by text. */
  readonly systemMarks?: ReadonlyMap<string, CacheMark> | undefined
  readonly items: ReadonlyArray<Item>
  /** The caller's name of the items; defaults to `input`. */
  readonly inputParam?: string
  /** True if the answer goes on with the last turn, which is the assistant's. Otherwise an answer follows it. */
  readonly prefills?: boolean
  readonly tools: ReadonlyArray<Tool>
  readonly toolChoice: ToolChoice
  /** False if the caller allows only one tool call at a time. */
  readonly parallelToolCalls: boolean
  readonly reasoning: Reasoning
  readonly sampling: Sampling
  /** Upper bound of generated tokens, reasoning included; undefined leaves it to the model. */
  readonly maxOutputTokens: number | undefined
  /** The caller's name of that bound; defaults to `max_output_tokens`. */
  readonly outputParam?: string
  readonly stopSequences: ReadonlyArray<string>
  /** The caller's name of the stop sequences; defaults to `stop_sequences`. */
  readonly stopParam?: string
  readonly format: OutputFormat
  /** The caller's name of the format; defaults to `text.format`. */
  readonly formatParam?: string
  /** `auto` drops the oldest items when the input exceeds the model's context; `disabled` refuses. */
  readonly truncation: "auto" | "disabled"
  /** The caller's end user, an opaque id. */
  readonly endUser: string | undefined
  /** Groups requests that share a prefix, for upstreams with a prompt cache. */
  readonly cacheKey: string | undefined
  /** The retention in such a cache, in OpenAI's form (`in_memory`, `24h`). */
  readonly cacheRetention?: string | undefined
  /** The caller's cache mark of all that there is. */
  readonly cacheMark?: CacheMark | undefined
  /** How much the model is to say, if not the usual, with the caller's name of the field. */
  readonly verbosity?: Named<string> | undefined
  /** The caller's wish for speed and price (`priority`, `flex`, `default`); absent to leave it to the upstream. */
  readonly serviceTier?: string | undefined
  /** How many likely tokens are told beside each token's log probability; undefined to tell none. */
  readonly logprobs?: Named<number> | undefined
  /** Makes the sampling repeatable. */
  readonly seed?: number | undefined
  /** How much the model is to avoid what it has written, from -2 to 2. */
  readonly penalties?: Penalties | undefined
  /** The kinds of output that the caller asks for, if not texts alone. */
  readonly modalities?: ReadonlyArray<string> | undefined
  /** Tells if it holds the bytes of documents; absent if all servers of the caller's own dialect read them. */
  readonly holdsDocuments?: () => boolean
  /** True for dialects whose providers cache automatically. Upstreams that need cache marks then get them. */
  readonly cachesByItself?: boolean
  /** The size of parts that only an upstream of the caller's own dialect understands; defaults to 0. */
  readonly unknownBytes?: number | undefined
  /** The parts that may cost more than plain tokens; absent if there are none. Called only where money is counted. */
  readonly demands?: () => ReadonlyArray<Demand>
  /** The refusal of the dialect's own provider, though other models can be asked for it. The sandbox plays it. */
  readonly providersRefusal?: InvalidRequest | undefined
}

export interface Penalties {
  readonly frequency?: number
  readonly presence?: number
}

/** A value with the caller's name of its field. */
export interface Named<A> {
  readonly value: A
  readonly param: string
}

/** Fields of a conversation that only some upstreams have. */
export const carriedFields = [
  "verbosity",
  "serviceTier",
  "logprobs",
  "seed",
  "penalties",
  "modalities",
  "audio"
] as const
export type CarriedField = (typeof carriedFields)[number]

export type Item = Message | ReasoningItem | ToolCallItem | ToolResultItem | SearchItem

export interface Message {
  readonly type: "message"
  /** `system` also stands for OpenAI's `developer`. */
  readonly role: "system" | "user" | "assistant"
  readonly content: ReadonlyArray<Part>
}

/** The end of a prompt's prefix that the caller wants cached. */
export interface CacheMark {
  /** Its lifetime; five minutes unless given. */
  readonly ttl?: "1h"
}

/** Something that a cached prefix can end with. */
export interface Marked {
  readonly cacheMark?: CacheMark | undefined
}

export type Part = TextPart | ImagePart | DocumentPart | RefusalPart

export interface TextPart extends Marked {
  readonly type: "text"
  readonly text: string
  /** Citations of replayed assistant text. */
  readonly citations?: ReadonlyArray<Citation>
}

export interface ImagePart extends Marked {
  readonly type: "image"
  readonly source: FileSource
  readonly detail: "low" | "high" | "auto" | "original"
}

export interface DocumentPart extends Marked {
  readonly type: "document"
  readonly source: FileSource
  readonly name: string | undefined
}

export interface RefusalPart extends Marked {
  readonly type: "refusal"
  readonly text: string
}

export type FileSource =
  | { readonly type: "base64"; readonly mediaType: string; readonly data: string }
  | { readonly type: "url"; readonly url: string }
  /** Plain text. */
  | { readonly type: "text"; readonly mediaType: string; readonly text: string }
  /** A file that the upstream stores, by its id. */
  | { readonly type: "file"; readonly id: string }

export interface ReasoningItem {
  readonly type: "reasoning"
  /** Readable reasoning or its summary; empty if only the opaque form exists. */
  readonly text: string
  /** The opaque form that an upstream wants back: Anthropic's signature, OpenAI's encrypted content. */
  readonly signature: string | undefined
  /** Anthropic's `redacted_thinking` data: opaque, nothing readable. */
  readonly redacted: string | undefined
  /** The origin of either; absent if unknown. An item without an origin is not sent upstream. */
  readonly origin?: Origin
}

/** The maker of a reasoning signature. No other accepts it. */
export interface Origin {
  /** The provider of a dialect (`anthropic`, `openai`), or the sandbox. */
  readonly by: string
  /** The model's id there; undefined if unknown, as for reasoning that a client got elsewhere. */
  readonly model?: string | undefined
  /** The upstream's key, if it has several and only that key's organisation accepts the signature. */
  readonly key?: string | undefined
}

export interface ToolCallItem extends Marked {
  readonly type: "tool-call"
  readonly callId: string
  readonly name: string
  /** JSON text for a function, free text for a custom tool. */
  readonly arguments: string
  readonly kind: "function" | "custom"
}

export interface ToolResultItem extends Marked {
  readonly type: "tool-result"
  readonly callId: string
  readonly content: ReadonlyArray<Part>
  readonly isError: boolean
}

/** A web search that ran on the model's side, with its results. */
export interface SearchItem {
  readonly type: "search"
  readonly id: string
  readonly query: string
  /** Undefined if the replayed form has no results (OpenAI's `web_search_call`). */
  readonly outcome: SearchOutcome | undefined
}

export type SearchOutcome =
  | { readonly type: "results"; readonly results: ReadonlyArray<SearchResult> }
  | { readonly type: "error"; readonly code: SearchErrorCode }

export type SearchErrorCode =
  | "invalid_tool_input"
  | "unavailable"
  | "max_uses_exceeded"
  | "too_many_requests"
  | "query_too_long"
  | "request_too_large"

export interface SearchResult {
  readonly url: string
  readonly title: string
  /** The page's text for the model; clients only get it as opaque `encrypted_content`. */
  readonly text: string
  /** The same text, encrypted by the upstream for itself; absent if `text` has it. */
  readonly sealed?: string
  /** The page's age ("April 30, 2025"); null if unknown. */
  readonly pageAge: string | null
}

/** A range of an answer's text and the page that supports it. */
export interface Citation {
  readonly url: string
  readonly title: string
  /** The page's words, at most 150 characters. */
  readonly citedText: string
  /** Offsets into the current text block, in UTF-16 units, end exclusive. */
  readonly start: number
  readonly end: number
}

export type Tool = FunctionTool | CustomTool | SearchTool

export interface FunctionTool extends Marked {
  readonly type: "function"
  readonly name: string
  readonly description: string | undefined
  /** JSON Schema of the arguments. */
  readonly parameters: Readonly<Record<string, unknown>>
  readonly strict: boolean | undefined
}

/** A tool whose input is free text. */
export interface CustomTool extends Marked {
  readonly type: "custom"
  readonly name: string
  readonly description: string | undefined
  /** The grammar that the text must match; absent if any text will do. */
  readonly grammar?: { readonly syntax: string; readonly definition: string }
}

/**
 * A web search that runs on the model's side. Domains have no scheme, include their subdomains, and may have a path.
 */
export interface SearchTool extends Marked {
  readonly type: "search"
  /** The caller's name of the tool (`web_search`). */
  readonly name: string
  readonly allowedDomains: ReadonlyArray<string> | undefined
  readonly blockedDomains: ReadonlyArray<string> | undefined
  readonly maxUses: number | undefined
  readonly contextSize: "low" | "medium" | "high"
  readonly location: UserLocation | undefined
}

export interface UserLocation {
  readonly city: string | undefined
  readonly region: string | undefined
  readonly country: string | undefined
  readonly timezone: string | undefined
}

export type ToolChoice =
  | { readonly type: "auto" }
  | { readonly type: "none" }
  /** A tool must be used, one of `names` if given. */
  | { readonly type: "required"; readonly names: ReadonlyArray<string> | undefined }
  | { readonly type: "tool"; readonly name: string }

export interface Reasoning {
  /** True to reason before answering; undefined leaves it to the model. */
  readonly enabled: boolean | undefined
  readonly effort: "none" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max" | undefined
  /** Upper bound of reasoning tokens. */
  readonly budgetTokens: number | undefined
  /** The form of readable reasoning; undefined for none. */
  readonly summary: "auto" | "concise" | "detailed" | undefined
}

export interface Sampling {
  readonly temperature: number | undefined
  readonly topP: number | undefined
  readonly topK: number | undefined
}

export type OutputFormat =
  | { readonly type: "text" }
  | { readonly type: "json" }
  | {
      readonly type: "json-schema"
      readonly name: string
      readonly description: string | undefined
      readonly schema: Readonly<Record<string, unknown>>
      readonly strict: boolean | undefined
    }
