import type { TypedBody } from "../contract/wire.ts"
import type { AnswerBlock, Citation, Message, Usage } from "./Message.ts"

/** The events of a message stream. The set is closed, because the Vercel client fails on any other event. */
export type StreamFrame =
  | { readonly type: "message_start"; readonly message: Message }
  | { readonly type: "content_block_start"; readonly index: number; readonly content_block: StartedBlock }
  | { readonly type: "content_block_delta"; readonly index: number; readonly delta: BlockDelta }
  | { readonly type: "content_block_stop"; readonly index: number }
  | {
      readonly type: "message_delta"
      readonly delta: Pick<Message, "stop_reason" | "stop_sequence">
      readonly usage: Omit<Usage, "cache_creation">
    }
  | { readonly type: "message_stop" }
  | { readonly type: "ping" }
  | TypedBody

/** A block at its start, with empty content that deltas fill. */
type StartedBlock = AnswerBlock

type BlockDelta =
  | { readonly type: "text_delta"; readonly text: string }
  | { readonly type: "citations_delta"; readonly citation: Citation }
  | { readonly type: "thinking_delta"; readonly thinking: string }
  | { readonly type: "signature_delta"; readonly signature: string }
  | { readonly type: "input_json_delta"; readonly partial_json: string }

/** Keeps a silent stream open. */
export const heartbeat = 'event: ping\ndata: {"type":"ping"}\n\n'
