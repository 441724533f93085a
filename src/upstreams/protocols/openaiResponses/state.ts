import type { CallCounts } from "../../../contract/records/HostedCall.ts"
import type { GenerationEvent } from "../../../generation/GenerationEvent.ts"
import type { Back } from "../back.ts"
import type { TakenIds } from "../callIds.ts"

/** The state of an answer. */
export interface ResponsesState {
  readonly back: Back
  /** Open output items by `output_index`. Mutable. */
  readonly open: Map<number, Opened>
  /** The upstream's id of the answer; empty if it gave none. */
  readonly answerId: string
  /** The ids of the calls that have begun. */
  readonly calls: TakenIds
  /** True if the arguments of a call are cut. */
  readonly isCut: boolean
  readonly searches: number
  /** The calls of other tools that the upstream ran. */
  readonly hosted: CallCounts
  /** True once an item was emitted. */
  readonly hasItems: boolean
  readonly over: boolean
}

/** An open output item. */
export interface Opened {
  /** Of a tool call. */
  readonly callId: string | undefined
  readonly isFunction: boolean
  /** The arguments of a call so far. */
  readonly arguments: string
  /** Quoted arguments are told at the end. Undefined until they begin. */
  readonly quoted?: boolean | undefined
  /** True if the content came in deltas; otherwise it is read from the finished item. */
  readonly hasDeltas: boolean
}

export type Step = readonly [ResponsesState, ReadonlyArray<GenerationEvent>]
