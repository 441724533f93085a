import type { JsonObject } from "../../../contract/fields.ts"
import type { FinishReason, GenerationEvent, Usage } from "../../../generation/GenerationEvent.ts"
import type { GrowingList } from "../../../generation/GrowingList.ts"
import type { Back } from "../back.ts"
import type { TakenIds } from "../callIds.ts"

/** What is known of an answer under way. */
export interface MessagesState {
  readonly back: Back
  /** undefined until the upstream tells any. */
  readonly usage: Usage | undefined
  /** The upstream's id of the answer; empty where it gives none. */
  readonly answerId: string
  /** The ids of the calls that have begun. */
  readonly calls: TakenIds
  /** Whether arguments of one of them are cut. */
  readonly isCut: boolean
  /** The id of a call that ended without arguments, just now. */
  readonly bare: string | undefined
  /** The content block that is open; they never overlap. */
  readonly block: Block | undefined
  /** UTF-16 units of text since anything else came: blocks of text that follow each other are one text. */
  readonly written: number
  /** Whether the answer's only call was the one that stands for its text. */
  readonly answeredByTool: boolean
  readonly reason: FinishReason | undefined
  readonly stopSequence: string | null
  readonly over: boolean
}

/** What is gathered of a content block until it ends. */
export type Block =
  | { readonly type: "text"; readonly start: number; readonly citations: GrowingList<JsonObject> }
  | { readonly type: "thinking"; readonly signature: string }
  /** A custom tool's input is wrapped, and so only told when it is whole. */
  | { readonly type: "call"; readonly id: string; readonly custom: boolean; readonly input: string }
  /** The call that stands for the answer's text. */
  | { readonly type: "answer"; readonly input: string }
  | { readonly type: "search"; readonly id: string; readonly input: string }
  | { readonly type: "other" }

export type Step = readonly [MessagesState, ReadonlyArray<GenerationEvent>]
