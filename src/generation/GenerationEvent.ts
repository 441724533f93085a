import { countOf, noCounts } from "../contract/records/measures.ts"
import type { Counts } from "../contract/records/measures.ts"
import type { CallCounts, HostedCall } from "../contract/records/HostedCall.ts"
import type { JsonObject } from "../contract/fields.ts"
import type { Failure } from "../contract/failures/Failure.ts"
import type { Citation, SearchOutcome } from "./Conversation.ts"
import type { Rest } from "./Rest.ts"
import type { ServerCallResult, ShownTool } from "./ServerCall.ts"
import type { Served } from "../contract/records/Served.ts"
import type { UpstreamTrouble } from "./UpstreamTrouble.ts"

/**
 * An event of a model's answer, in neutral terms. Upstream protocols produce them, family encoders consume them.
 * Producers need not order them: `sequence.ts` opens, closes and orders items, so that an encoder sees one open item at
 * a time.
 */
export type GenerationEvent =
  /** The upstream began to answer. Anthropic reports the input tokens here already. */
  | { readonly type: "started"; readonly usage: Usage | undefined }
  | { readonly type: "text-start" }
  | { readonly type: "text-delta"; readonly text: string; readonly logprobs?: Logprobs }
  /** Belongs to the open text item. */
  | { readonly type: "citation"; readonly citation: Citation }
  | { readonly type: "text-end" }
  | { readonly type: "refusal-delta"; readonly text: string }
  | { readonly type: "reasoning-start" }
  | { readonly type: "reasoning-delta"; readonly text: string }
  /** The opaque form for replay, if the upstream has one. */
  | { readonly type: "reasoning-end"; readonly signature: string | undefined }
  | { readonly type: "redacted-reasoning"; readonly data: string }
  /** An image that the model made, whole and in base64. */
  | { readonly type: "image"; readonly mediaType: string; readonly data: string }
  | {
      readonly type: "tool-call-start"
      readonly callId: string
      readonly name: string
      readonly kind: "function" | "custom"
    }
  /** A piece of the arguments' JSON text, or of a custom tool's input. */
  | { readonly type: "tool-call-delta"; readonly callId: string; readonly text: string }
  | { readonly type: "tool-call-end"; readonly callId: string }
  /** A signature that the upstream wants back with the call, the text or the image. The gateway stores it and shows it to no client. */
  | { readonly type: "tool-call-signed"; readonly callId: string; readonly signature: string }
  | { readonly type: "search-start"; readonly id: string; readonly query: string }
  | { readonly type: "search-end"; readonly id: string; readonly outcome: SearchOutcome }
  /** The tools of an MCP server, which are offered to the model. */
  | { readonly type: "server-tools"; readonly server: string; readonly tools: ReadonlyArray<ShownTool> }
  /** The model calls one of them; pieces of its arguments follow. */
  | {
      readonly type: "server-call-start"
      readonly id: string
      readonly server: string
      readonly tool: string
      /** The approval that the caller gave to it. */
      readonly approval?: string | undefined
    }
  | { readonly type: "server-call-delta"; readonly id: string; readonly text: string }
  /** The arguments are whole, and the call runs. */
  | { readonly type: "server-call-written"; readonly id: string }
  | { readonly type: "server-call-end"; readonly id: string; readonly result: ServerCallResult }
  /** A whole call of such a tool, which runs only if the caller approves it in a later request. */
  | { readonly type: "approval-asked"; readonly server: string; readonly tool: string; readonly arguments: string }
  /**
   * The answer in the caller's own dialect, as the upstream wrote it: whole frames of a stream, in UTF-8. Only
   * passthrough generations have these.
   */
  | {
      readonly type: "passthrough"
      readonly terminal: false
      readonly bytes: Uint8Array
      readonly usageFrame?: UsageFrame<Uint8Array>
      /** It has no text to count: a `usage` tells what it is. */
      readonly isTold?: true
      /** It announces an answer and has none of its content. */
      readonly isBeginning?: true
      /** The data of a frame that carries a finished item, kept in case the stream fails later. */
      readonly item?: string
      /** The hosted tool that the upstream ran for the item, counted in case the client leaves before the usage comes. */
      readonly called?: HostedCall
    }
  /** Its last frames, or the JSON of a whole answer, sent once `finished` is accepted. */
  | {
      readonly type: "passthrough"
      readonly terminal: true
      readonly text: string
      readonly usageFrame?: UsageFrame<string>
      /** It has no content itself: an end marker, or a whole answer without any. */
      readonly isEmpty?: true
      /** Earlier events had all of its content, so that usage counting skips it. */
      readonly isRepeated?: true
    }
  /** Cumulative usage: a later event replaces an earlier one. A count that was not a valid number is NaN. */
  | {
      readonly type: "usage"
      readonly usage: Usage
      /**
       * The reason that the gateway counted a part itself. `untold-tokens`: of the tokens alone, which cost nothing where
       * pieces are paid for.
       */
      readonly counted?: Doubt | "untold" | "untold-tokens"
      /** The same with tokens by the gateway's count, for a price of tokens. It counts those of the request by `inputTokens`. */
      readonly withTokens?: (inputTokens: () => number) => Usage
    }
  | {
      readonly type: "finished"
      readonly reason: FinishReason
      readonly stopSequence: string | null
      /** The tier that served the request, if the upstream told it. */
      readonly serviceTier?: string
      /** The upstream's own reason, if it is an unknown one. */
      readonly unknownReason?: string
    }
  | {
      readonly type: "failed"
      readonly failure: Failure
      /** The upstream's message, for the log alone. */
      readonly said?: string
      readonly trouble?: UpstreamTrouble
      /** The part of the upstream that rests. */
      readonly rests?: Rest
    }

export type UsageEvent = Extract<GenerationEvent, { readonly type: "usage" }>
export type FailedEvent = Extract<GenerationEvent, { readonly type: "failed" }>

/** The log probabilities of a text's tokens, in OpenAI's form. */
export type Logprobs = ReadonlyArray<JsonObject>

/** A passthrough frame that carries usage, or is the place for it. */
export interface UsageFrame<A> {
  /** True for the totals, false for the usage known at the start. */
  readonly isTotal: boolean
  /** The frame with other numbers. */
  readonly as: (usage: Usage) => A
}

/** The implausible part of an upstream's usage: not a valid count, or more than the request can have used. */
export type Doubt = "number" | "input" | "output" | "searches" | "calls"

export type FinishReason =
  | "stop"
  | "max-tokens"
  | "stop-sequence"
  | "tool-calls"
  | "refusal"
  | "context-exceeded"
  | "pause"

/** Calls of one tool at one price. */
export interface PaidCalls {
  /** The server and its tool, `jira/search`. */
  readonly of: string
  readonly count: number
  /** Nano-dollars a call. */
  readonly rate: number
}

/** The use of one generation: the counts of `measures`, and others that have no measure yet. */
export type Usage = Counts & {
  /** Calls of other tools that the provider ran; absent if none. */
  readonly calls?: CallCounts
  /** Calls of servers' tools that the gateway made; absent if none costs anything. */
  readonly toolCalls?: ReadonlyArray<PaidCalls>
  /** Generations that the provider ran besides (compactions, advisors, images), which the other counts leave out. */
  readonly besides?: ReadonlyArray<Usage>
  /** The model of a generation besides, if it may be another one. */
  readonly model?: string
  /** The tool that a generation besides worked for. */
  readonly tool?: HostedCall
  /** How the upstream says that it served the request. */
  readonly served?: Served
  /** The charge that the provider tells, in nano-dollars. */
  readonly toldNanoUsd?: number
}

/** The part of a usage that most lack. */
export const hourly = (cacheWriteHourTokens: number): Pick<Usage, "cacheWriteHourTokens"> =>
  cacheWriteHourTokens === 0 ? {} : { cacheWriteHourTokens }

/** How many of the cache-write tokens are kept for an hour, which costs more. */
export const hourTokens = (usage: Usage): number => countOf(usage, "cache_write_1h_tokens")

/** The cached parts of an input, as OpenAI's dialects tell them. */
export const cacheDetails = ({ cacheReadTokens, cacheWriteTokens }: Usage) => ({
  cached_tokens: cacheReadTokens,
  ...(cacheWriteTokens === 0 ? {} : { cache_write_tokens: cacheWriteTokens })
})

export const noUsage: Usage = noCounts
