import type { GenerationEvent } from "../../../generation/GenerationEvent.ts"
import type { Back } from "../back.ts"
import type { TakenIds } from "../callIds.ts"

/** What is known of an answer under way. */
export interface ResponsesState {
  readonly back: Back
  /** Output items that have begun and not ended, by `output_index`: they change with each step. */
  readonly open: Map<number, Opened>
  /** The upstream's id of the answer; empty where it gives none. */
  readonly answerId: string
  /** The ids of the calls that have begun. */
  readonly calls: TakenIds
  /** Whether arguments of one of them are cut. */
  readonly isCut: boolean
  readonly searches: number
  /** Whether an item of the answer was told. */
  readonly hasItems: boolean
  readonly over: boolean
}

/** An output item under way. */
export interface Opened {
  /** Of a tool call. */
  readonly callId: string | undefined
  readonly isFunction: boolean
  /** What there is of a call's arguments. */
  readonly arguments: string
  /** Whether its content came in pieces; else it is read from the whole item at its end. */
  readonly told: boolean
}

export type Step = readonly [ResponsesState, ReadonlyArray<GenerationEvent>]
