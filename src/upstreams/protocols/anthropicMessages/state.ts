import type { JsonObject } from "../../../contract/fields.ts"
import type { FinishReason, GenerationEvent, Usage } from "../../../generation/GenerationEvent.ts"
import type { GrowingList } from "../../../generation/GrowingList.ts"
import type { Back } from "../back.ts"
import type { BesideAnswer } from "../BesideAnswer.ts"
import type { BlockOrder } from "../BlockOrder.ts"
import type { CallBlock } from "../callBlocks.ts"
import type { TakenIds } from "../callIds.ts"

/** The state of an answer. */
export interface MessagesState {
  readonly back: Back
  /** Undefined until the upstream reports any. */
  readonly usage: Usage | undefined
  /** The upstream's id of the answer; empty if it gave none. */
  readonly answerId: string
  /** The ids of the calls that have begun. */
  readonly calls: TakenIds
  /** True if the arguments of a call are cut. */
  readonly isCut: boolean
  /** The id of a call that just ended without arguments. */
  readonly bare: string | undefined
  /** Blocks that began while another was open. Mutable. */
  readonly order: BlockOrder
  /** The content block that is read, one after the other. */
  readonly block: Block | undefined
  /** UTF-16 units of text since the last other block: consecutive text blocks are one text. */
  readonly written: number
  /** True if the only call was the answer tool's. */
  readonly answeredByTool: boolean
  /** Texts that wait for the answer tool. Mutable; undefined if the request has no such tool. */
  readonly beside: BesideAnswer | undefined
  readonly reason: FinishReason | undefined
  readonly stopSequence: string | null
  /** The upstream's stop reason, if it is an unknown one. */
  readonly unknownReason?: string
  readonly over: boolean
}

/** The gathered content of a block until it ends. */
export type Block =
  | { readonly type: "text"; readonly start: number; readonly citations: GrowingList<JsonObject> }
  | { readonly type: "thinking"; readonly signature: string }
  | CallBlock
  | { readonly type: "search"; readonly id: string; readonly input: string }
  | { readonly type: "other" }

export type Step = readonly [MessagesState, ReadonlyArray<GenerationEvent>]
