import type { GrowingList } from "../generation/GrowingList.ts"
import type { OpenItem } from "../generation/Lanes.ts"
import type * as Sequence from "../generation/sequence.ts"
import type { AnswerBlock, Citation, Message } from "./Message.ts"

/** The inputs of an answer's encoder. */
export interface Options {
  /** The message's id. */
  readonly id: string
  /** The model id that the caller requested. */
  readonly model: string
  readonly requestId: string
  /** True if only the signature of thinking is sent. */
  readonly hideThinking: boolean
}

/** The answer so far. */
export interface State {
  readonly sequence: Sequence.State
  /** The message. Its blocks are added at the end. */
  readonly message: Message
  /** The blocks that have ended. */
  readonly blocks: GrowingList<AnswerBlock>
  readonly open: OpenBlock | undefined
  /** True once the `ping` after the first text block's start was sent. */
  readonly isPinged: boolean
  readonly isRefused: boolean
  /** The positions of calls with cut arguments, which a whole message omits. */
  readonly cut: GrowingList<number>
}

/** The block that is being written. */
export type OpenBlock =
  | { readonly type: "text"; readonly text: string; readonly citations: GrowingList<Citation> }
  | { readonly type: "thinking"; readonly text: string }
  | { readonly type: "redacted-thinking"; readonly data: string }
  | { readonly type: "tool-use"; readonly id: string; readonly name: string; readonly input: string }
  /** The free text of a custom tool, which becomes JSON once it is complete. */
  | { readonly type: "free-text-tool-use"; readonly id: string; readonly name: string; readonly input: string }
  | { readonly type: "search"; readonly id: string }
  | { readonly type: "mcp"; readonly call: ServerCall; readonly input: string; readonly isWritten: boolean }

type ServerCall = Extract<OpenItem, { readonly type: "server-call" }>

/** A mutable copy of the state during one step. */
export type Draft = { -readonly [K in keyof State]: State[K] }

/** Ends the open block. */
export const addBlock = (draft: Draft, block: AnswerBlock): void => {
  draft.open = undefined
  draft.blocks = draft.blocks.with(block)
}
