/**
 * What a text family asks of a model, in the words of neither: families decode into it, upstream protocols lower it.
 * A flat list of items, oldest first; assistant items that follow each other are one turn.
 */
export interface Conversation {
  /** The caller's model id. */
  readonly model: string
  /** System text before everything else, in order; empty where there is none. */
  readonly system: ReadonlyArray<string>
  readonly items: ReadonlyArray<Item>
  readonly tools: ReadonlyArray<Tool>
  readonly toolChoice: ToolChoice
  /** False where the caller allows one tool call at a time. */
  readonly parallelToolCalls: boolean
  readonly reasoning: Reasoning
  readonly sampling: Sampling
  /** Upper bound of generated tokens, reasoning included; undefined leaves it to the model. */
  readonly maxOutputTokens: number | undefined
  /** What the caller calls that bound, and the most it may be where nothing is known of the model. */
  readonly outputBound?: { readonly param: string; readonly usual?: number }
  readonly stopSequences: ReadonlyArray<string>
  /** What the caller calls them; `stop_sequences` where absent. */
  readonly stopParam?: string
  readonly format: OutputFormat
  /** `auto` drops the oldest items when the input exceeds the model's context; `disabled` refuses. */
  readonly truncation: "auto" | "disabled"
  /** The caller's own end user, an opaque id. */
  readonly endUser: string | undefined
  /** Groups requests that share a prefix, for upstreams with a prompt cache. */
  readonly cacheKey: string | undefined
  /** How long a prompt is to stay in such a cache, as OpenAI says it (`in_memory`, `24h`). */
  readonly cacheRetention?: string | undefined
  /** Of a dialect whose services cache prompts by themselves: an upstream that must be told what to cache is told. */
  readonly cachesByItself?: boolean
  /** Bytes of what it does not say: parts that only an upstream of the caller's own dialect understands; 0 where absent. */
  readonly unknownBytes?: number | undefined
}

export type Item = Message | ReasoningItem | ToolCallItem | ToolResultItem | SearchItem

export interface Message {
  readonly type: "message"
  /** `system` also stands for OpenAI's `developer`. */
  readonly role: "system" | "user" | "assistant"
  readonly content: ReadonlyArray<Part>
}

export type Part = TextPart | ImagePart | DocumentPart | RefusalPart

export interface TextPart {
  readonly type: "text"
  readonly text: string
  /** Of an assistant's text that is replayed; empty otherwise. */
  readonly citations?: ReadonlyArray<Citation>
  /** The caller marked a prompt-cache breakpoint here. */
  readonly cacheBreakpoint?: boolean
}

export interface ImagePart {
  readonly type: "image"
  readonly source: FileSource
  readonly detail: "low" | "high" | "auto"
}

export interface DocumentPart {
  readonly type: "document"
  readonly source: FileSource
  readonly name: string | undefined
}

export interface RefusalPart {
  readonly type: "refusal"
  readonly text: string
}

export type FileSource =
  | { readonly type: "base64"; readonly mediaType: string; readonly data: string }
  | { readonly type: "url"; readonly url: string }
  /** Plain text given as it is. */
  | { readonly type: "text"; readonly mediaType: string; readonly text: string }
  /** A file the upstream keeps under its own id. */
  | { readonly type: "file"; readonly id: string }

export interface ReasoningItem {
  readonly type: "reasoning"
  /** Readable reasoning or its summary; empty where only the opaque form exists. */
  readonly text: string
  /** The opaque form an upstream asks back: Anthropic's signature, OpenAI's encrypted content. */
  readonly signature: string | undefined
  /** Anthropic's `redacted_thinking` data: opaque, nothing readable. */
  readonly redacted: string | undefined
  /** Who made either of them; absent where nobody knows, and so nobody is told of it. */
  readonly origin?: Origin
}

/** Who made the opaque form of a reasoning item: nobody else takes it back. */
export interface Origin {
  /** A dialect's services (`anthropic`, `openai`), or the sandbox. */
  readonly by: string
  /** The model's id there; undefined where it is not known, as of what a client has from elsewhere. */
  readonly model?: string | undefined
}

export interface ToolCallItem {
  readonly type: "tool-call"
  readonly callId: string
  readonly name: string
  /** JSON text for a function, free text for a custom tool. */
  readonly arguments: string
  readonly kind: "function" | "custom"
}

export interface ToolResultItem {
  readonly type: "tool-result"
  readonly callId: string
  readonly content: ReadonlyArray<Part>
  readonly isError: boolean
}

/** A web search that the model's side ran, with what it found. */
export interface SearchItem {
  readonly type: "search"
  readonly id: string
  readonly query: string
  /** undefined where the replayed form carries no results (OpenAI's `web_search_call`). */
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
  /** What the page says, for the model; sent to clients only as opaque `encrypted_content`. */
  readonly text: string
  /** The same as its upstream sealed it, which alone can open it; absent where `text` says it. */
  readonly sealed?: string
  /** How old the page is ("April 30, 2025"); null where unknown. */
  readonly pageAge: string | null
}

/** A stretch of an answer's text and the page that supports it. */
export interface Citation {
  readonly url: string
  readonly title: string
  /** The page's words, 150 characters at most. */
  readonly citedText: string
  /** Offsets into the text block being written, in UTF-16 units, end exclusive. */
  readonly start: number
  readonly end: number
}

export type Tool = FunctionTool | CustomTool | SearchTool

export interface FunctionTool {
  readonly type: "function"
  readonly name: string
  readonly description: string | undefined
  /** JSON Schema of the arguments. */
  readonly parameters: Readonly<Record<string, unknown>>
  readonly strict: boolean | undefined
}

/** A tool whose input is free text. */
export interface CustomTool {
  readonly type: "custom"
  readonly name: string
  readonly description: string | undefined
  /** What the text must match; absent where any will do. */
  readonly grammar?: { readonly syntax: string; readonly definition: string }
}

/** Web search run by the model's side. Domains have no scheme, cover their subdomains, and may carry a path. */
export interface SearchTool {
  readonly type: "search"
  /** What the caller calls it (`web_search`). */
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
  /** Some tool must be used; where `names` is given, one of these. */
  | { readonly type: "required"; readonly names: ReadonlyArray<string> | undefined }
  | { readonly type: "tool"; readonly name: string }

export interface Reasoning {
  /** Whether the model reasons before it answers; undefined leaves it to the model. */
  readonly enabled: boolean | undefined
  readonly effort: "none" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max" | undefined
  /** Upper bound of reasoning tokens. */
  readonly budgetTokens: number | undefined
  /** Whether readable reasoning is wanted, and how much of it. */
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
