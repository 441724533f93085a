/**
 * A table with a column for each of its measures. `requests` stands for its sums in `request_hours` too;
 * `request_details` for members of `requests.details`, which most requests lack.
 */
export type MeasuredTable = "usage" | "usage_days" | "usage_hours" | "requests" | "request_details"

/** The kinds of tokens that are no text. */
export type Modality = "audio" | "image" | "video"

/** A count of a request's use. */
export interface Row {
  /** Its member in `Counts`: the readers of each wire fill it, prices multiply it. */
  readonly name: string
  /** The whole input is `input`, `read` and `written`. */
  readonly kind: "input" | "read" | "written" | "output" | "call" | "frame"
  /** Set for the part of another measure's count that differs in one dimension, such as its lifetime in a cache. */
  readonly part?: {
    readonly of: string
    readonly isReasoning?: true
    readonly lifetime?: "1h" | "12h"
    readonly modality?: Modality
  }
  /** Most requests have none of it: absent in `Counts` instead of 0, so that only wires that report it name it. */
  readonly isRare?: true
  /**
   * Added after others: its columns stand at the end of exports, and its members are optional, because an older gateway
   * answers the command line without them.
   */
  readonly isLater?: true
  /** Its member in prices, in USD each, if it is priced by the piece. */
  readonly price?: string
  /** True for what is read, all of it: its count is known before the answer. */
  readonly isRead?: true
  /** `usage` has all measures. `usage_days` and `usage_hours` have its sums. */
  readonly tables: ReadonlyArray<MeasuredTable>
  /** Its description in the API. */
  readonly says: string
  /** The head of its column in tables of the command line, and in lower case in CSV. */
  readonly heading?: string
  /** Its words in the command line: `12 read from cache`. */
  readonly words?: string
  /** Its attribute of a span, by OpenTelemetry's conventions. The whole input has one too. */
  readonly attribute?: string
  /** Its label `kind` in `gateway_cached_tokens_total`. */
  readonly cached?: "read" | "write"
}

/**
 * All that is counted of a request besides money, by the name of its column, which its members in the API and in log
 * lines have too. Types, rows, sums, records, exports, metrics and spans derive from it, in the order in which they list
 * them. A new measure is a row here, its columns in a migration, and the wires that report it (CONTRIBUTING.md).
 *
 * A count with more dimensions (modality, lifetime, model) is a row too: a `part` of the measure whose count has it.
 */
export const measures = {
  input_tokens: {
    name: "inputTokens",
    kind: "input",
    tables: ["usage", "usage_days", "usage_hours", "requests"],
    says: "Input tokens that were neither read from a cache nor written to one.",
    heading: "INPUT",
    words: "in"
  },
  cache_read_tokens: {
    name: "cacheReadTokens",
    kind: "read",
    tables: ["usage", "usage_days", "usage_hours", "requests"],
    says: "Input tokens that were read from a cache.",
    heading: "CACHE READ",
    words: "read from cache",
    attribute: "gen_ai.usage.cache_read.input_tokens",
    cached: "read"
  },
  cache_write_tokens: {
    name: "cacheWriteTokens",
    kind: "written",
    tables: ["usage", "usage_days", "usage_hours", "requests"],
    says: "Input tokens that were written to a cache.",
    heading: "CACHE WRITE",
    words: "written to cache",
    attribute: "gen_ai.usage.cache_creation.input_tokens",
    cached: "write"
  },
  cache_write_1h_tokens: {
    name: "cacheWriteHourTokens",
    kind: "written",
    part: { of: "cacheWriteTokens", lifetime: "1h" },
    isRare: true,
    isLater: true,
    tables: ["usage", "request_details"],
    says: "The part of `cache_write_tokens` that is kept for an hour.",
    words: "written for an hour"
  },
  output_tokens: {
    name: "outputTokens",
    kind: "output",
    tables: ["usage", "usage_days", "usage_hours", "requests"],
    says: "Output tokens, reasoning among them; of a video, its tokens.",
    heading: "OUTPUT",
    words: "out"
  },
  reasoning_tokens: {
    name: "reasoningTokens",
    kind: "output",
    part: { of: "outputTokens", isReasoning: true },
    tables: ["usage", "usage_days", "requests"],
    says: "The part of the output that was reasoning.",
    heading: "REASONING",
    words: "of them reasoning",
    attribute: "gen_ai.usage.reasoning.output_tokens"
  },
  searches: {
    name: "searches",
    kind: "call",
    tables: ["usage", "usage_days", "requests"],
    says: "Web searches.",
    heading: "SEARCHES"
  },
  video_frames: {
    name: "videoFrames",
    kind: "frame",
    isRare: true,
    tables: ["usage", "usage_days"],
    says: "Seconds of video, at 24 frames each.",
    heading: "VIDEO SECONDS"
  },
  rerank_units: {
    name: "rerankUnits",
    kind: "call",
    isRare: true,
    isLater: true,
    price: "per_rerank_unit",
    tables: ["usage", "usage_days", "usage_hours", "request_details"],
    says: "Rerank units: a query with up to 100 documents.",
    heading: "RERANK UNITS",
    words: "rerank units"
  },
  cache_write_12h_tokens: {
    name: "cacheWriteHalfDayTokens",
    kind: "written",
    part: { of: "cacheWriteTokens", lifetime: "12h" },
    isRare: true,
    isLater: true,
    tables: ["usage", "request_details"],
    says: "The part of `cache_write_tokens` that is kept for twelve hours.",
    words: "written for 12 hours"
  },
  audio_input_tokens: {
    name: "audioInputTokens",
    kind: "input",
    part: { of: "inputTokens", modality: "audio" },
    isRare: true,
    isLater: true,
    tables: ["usage", "request_details"],
    says: "The part of `input_tokens` that was sound.",
    words: "of sound in"
  },
  audio_read_tokens: {
    name: "audioReadTokens",
    kind: "read",
    part: { of: "cacheReadTokens", modality: "audio" },
    isRare: true,
    isLater: true,
    tables: ["usage", "request_details"],
    says: "The part of `cache_read_tokens` that was sound.",
    words: "of sound read from cache"
  },
  audio_output_tokens: {
    name: "audioOutputTokens",
    kind: "output",
    part: { of: "outputTokens", modality: "audio" },
    isRare: true,
    isLater: true,
    tables: ["usage", "request_details"],
    says: "The part of `output_tokens` that was sound.",
    words: "of sound out"
  },
  image_input_tokens: {
    name: "imageInputTokens",
    kind: "input",
    part: { of: "inputTokens", modality: "image" },
    isRare: true,
    isLater: true,
    tables: ["usage", "request_details"],
    says: "The part of `input_tokens` that was images.",
    words: "of images in"
  },
  image_read_tokens: {
    name: "imageReadTokens",
    kind: "read",
    part: { of: "cacheReadTokens", modality: "image" },
    isRare: true,
    isLater: true,
    tables: ["usage", "request_details"],
    says: "The part of `cache_read_tokens` that was images.",
    words: "of images read from cache"
  },
  image_output_tokens: {
    name: "imageOutputTokens",
    kind: "output",
    part: { of: "outputTokens", modality: "image" },
    isRare: true,
    isLater: true,
    tables: ["usage", "request_details"],
    says: "The part of `output_tokens` that was images.",
    words: "of images out"
  },
  video_input_tokens: {
    name: "videoInputTokens",
    kind: "input",
    part: { of: "inputTokens", modality: "video" },
    isRare: true,
    isLater: true,
    tables: ["usage", "request_details"],
    says: "The part of `input_tokens` that was film.",
    words: "of film in"
  },
  images: {
    name: "images",
    kind: "call",
    isRare: true,
    isLater: true,
    price: "per_image",
    tables: ["usage", "usage_days", "usage_hours", "request_details"],
    says: "Images of an image model.",
    heading: "IMAGES",
    words: "images"
  },
  characters: {
    name: "characters",
    kind: "call",
    isRare: true,
    isLater: true,
    price: "per_character",
    isRead: true,
    tables: ["usage", "usage_days", "usage_hours", "request_details"],
    says: "Characters that a speech model spoke.",
    heading: "CHARACTERS",
    words: "characters"
  },
  audio_seconds: {
    name: "audioSeconds",
    kind: "call",
    isRare: true,
    isLater: true,
    price: "per_audio_second",
    isRead: true,
    tables: ["usage", "usage_days", "usage_hours", "request_details"],
    says: "Seconds of sound that a transcription model heard, each begun one whole.",
    heading: "AUDIO SECONDS",
    words: "seconds of sound"
  },
  video_read_tokens: {
    name: "videoReadTokens",
    kind: "read",
    part: { of: "cacheReadTokens", modality: "video" },
    isRare: true,
    isLater: true,
    tables: ["usage", "request_details"],
    says: "The part of `cache_read_tokens` that was film.",
    words: "of film read from cache"
  }
} as const satisfies Readonly<Record<string, Row>>
