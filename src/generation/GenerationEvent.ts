import type { Failure } from "../contract/Failure.ts"
import type { Citation, SearchOutcome } from "./Conversation.ts"
import type { UpstreamTrouble } from "./UpstreamTrouble.ts"

/**
 * What a model does while it answers, in the words of no family. Upstream protocols step into these, family encoders
 * step out of them. Producers need not be tidy: `sequence.ts` opens, closes and orders whatever comes, so that an
 * encoder only ever sees one open item at a time.
 */
export type GenerationEvent =
  /** The upstream began to answer; what it already knows of the usage (Anthropic tells the input tokens here). */
  | { readonly type: "started"; readonly usage: Usage | undefined }
  | { readonly type: "text-start" }
  | { readonly type: "text-delta"; readonly text: string }
  /** Belongs to the text item that is open. */
  | { readonly type: "citation"; readonly citation: Citation }
  | { readonly type: "text-end" }
  | { readonly type: "refusal-delta"; readonly text: string }
  | { readonly type: "reasoning-start" }
  | { readonly type: "reasoning-delta"; readonly text: string }
  /** The opaque form to replay, where the upstream has one. */
  | { readonly type: "reasoning-end"; readonly signature: string | undefined }
  | { readonly type: "redacted-reasoning"; readonly data: string }
  | {
      readonly type: "tool-call-start"
      readonly callId: string
      readonly name: string
      readonly kind: "function" | "custom"
    }
  /** A piece of the arguments' JSON text (or of a custom tool's input). */
  | { readonly type: "tool-call-delta"; readonly callId: string; readonly text: string }
  | { readonly type: "tool-call-end"; readonly callId: string }
  /** Its upstream wants this back with the call: kept by the gateway, and told to nobody. */
  | { readonly type: "tool-call-signed"; readonly callId: string; readonly signature: string }
  | { readonly type: "search-start"; readonly id: string; readonly query: string }
  | { readonly type: "search-end"; readonly id: string; readonly outcome: SearchOutcome }
  /**
   * The answer in the caller's own dialect, as the upstream wrote it: whole frames of a stream, in UTF-8. Only a
   * forwarded generation has these (`native.ts`).
   */
  | {
      readonly type: "passthrough"
      readonly terminal: false
      readonly bytes: Uint8Array
      readonly telling?: Telling<Uint8Array>
      /** Nothing of the answer yet, only that there will be one. */
      readonly isBeginning?: true
      /** It is the frame that tells an item which has ended: its data, for a stream that fails later. */
      readonly item?: string
    }
  /** Its last frames, or the JSON of an answer in one piece: it leaves once `finished` is accepted. */
  | {
      readonly type: "passthrough"
      readonly terminal: true
      readonly text: string
      readonly telling?: Telling<string>
      /** Events before it have told all that it says: whoever counts what was produced has counted that. */
      readonly isRepeated?: true
    }
  /** Totals so far; a later one replaces an earlier one. A count that the upstream told as no number can be is NaN. */
  | {
      readonly type: "usage"
      readonly usage: Usage
      /** The gateway has counted some of it itself, and why. */
      readonly counted?: Doubt | "untold"
    }
  | { readonly type: "finished"; readonly reason: FinishReason; readonly stopSequence: string | null }
  /** What an upstream said of it goes to the log alone. */
  | { readonly type: "failed"; readonly failure: Failure; readonly said?: string; readonly trouble?: UpstreamTrouble }

/** A native frame that tells usage, or is where it belongs. */
export interface Telling<A> {
  /** Whether it tells the totals, and not just what is known at the start. */
  readonly isTotal: boolean
  /** The frame with other numbers. */
  readonly as: (usage: Usage) => A
}

/** What of an upstream's usage can't be: a count that is none, or more than the request can have used. */
export type Doubt = "number" | "input" | "output" | "searches"

export type FinishReason =
  | "stop"
  | "max-tokens"
  | "stop-sequence"
  | "tool-calls"
  | "refusal"
  | "context-exceeded"
  | "pause"

/** Token counts of one generation. Kinds do not overlap: the whole input is input + cacheRead + cacheWrite. */
export interface Usage {
  /** Input tokens read fresh: neither from a cache nor written to one. */
  readonly inputTokens: number
  readonly cacheReadTokens: number
  readonly cacheWriteTokens: number
  /** How many of those are kept for an hour, as it was told (`hourTokens`); none where it is absent. */
  readonly cacheWriteHourTokens?: number
  /** Generated tokens, reasoning included. */
  readonly outputTokens: number
  readonly reasoningTokens: number
  readonly searches: number
}

/** The part of a usage that most have not. */
export const hourly = (cacheWriteHourTokens: number): Pick<Usage, "cacheWriteHourTokens"> =>
  cacheWriteHourTokens === 0 ? {} : { cacheWriteHourTokens }

/** How many of the tokens that were written into a cache are kept for an hour, which costs more. */
export const hourTokens = ({ cacheWriteHourTokens = 0, cacheWriteTokens }: Usage): number =>
  Math.min(cacheWriteHourTokens, cacheWriteTokens)

export const noUsage: Usage = {
  inputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  outputTokens: 0,
  reasoningTokens: 0,
  searches: 0
}
