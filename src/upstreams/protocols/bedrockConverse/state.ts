import type { Citation } from "../../../generation/Conversation.ts"
import type { FinishReason, GenerationEvent, Usage } from "../../../generation/GenerationEvent.ts"
import type { GrowingList } from "../../../generation/GrowingList.ts"
import type { Back } from "../back.ts"
import type { BesideAnswer } from "../BesideAnswer.ts"
import type { BlockOrder } from "../BlockOrder.ts"
import type { CallBlock } from "../callBlocks.ts"
import type { Thinking } from "../openaiChat/think.ts"
import type { TakenIds } from "../callIds.ts"

/** The state of an answer. */
export interface ConverseState {
  readonly back: Back
  /** The ids of the calls that have begun. */
  readonly calls: TakenIds
  /** Blocks that began while another was open. Mutable. */
  readonly order: BlockOrder
  /** The content block that is read, one after the other. */
  readonly block: Block | undefined
  /** The id of a call that just ended without arguments. */
  readonly bare: string | undefined
  /** True if the arguments of a call are cut. */
  readonly isCut: boolean
  /** UTF-16 units of text since the last other block: consecutive text blocks are one text. */
  readonly written: number
  /** True if the only call was the answer tool's. */
  readonly answeredByTool: boolean
  /** Texts that wait for the answer tool. Mutable; undefined if the request has no such tool. */
  readonly beside: BesideAnswer | undefined
  /** `failed` if the model's output was malformed. Undefined until the message stops; the usage is still to come. */
  readonly reason: FinishReason | "failed" | undefined
  readonly stopSequence: string | null
  /** The upstream's stop reason, if it is an unknown one. */
  readonly unknownReason?: string
  readonly usage: Usage | undefined
  readonly over: boolean
}

/** The gathered content of a block until it ends. */
export type Block =
  | {
      readonly type: "text"
      readonly start: number
      readonly citations: GrowingList<Omit<Citation, "start" | "end">>
      /** Undefined for models that write no reasoning into their texts. */
      readonly thinking: Thinking | undefined
    }
  | { readonly type: "reasoning"; readonly signature: string }
  | CallBlock

export type Step = readonly [ConverseState, ReadonlyArray<GenerationEvent>]
