import type { Effect } from "effect"
import type { Failure } from "../../contract/failures/Failure.ts"
import type { FunctionTool, Item, ToolCallItem, ToolResultItem } from "../../generation/Conversation.ts"
import type { Doubt, GenerationEvent, PaidCalls, Usage } from "../../generation/GenerationEvent.ts"
import type { ServerCall } from "../ServerTool.ts"

/** A call in the journal. */
export interface JournalCall extends ServerCall {
  /** False for a call that was not allowed, so that it never left. */
  readonly isSent: boolean
}

/** The end of a call in the journal. */
export interface JournalEnd {
  readonly events: ReadonlyArray<GenerationEvent>
  readonly items: readonly [ToolCallItem, ToolResultItem]
  readonly found?: ReadonlyArray<FunctionTool>
}

/** A round whose calls leave. */
export interface JournalRound {
  /** The events that the client saw, up to the calls' beginnings. */
  readonly shown: ReadonlyArray<GenerationEvent>
  /** The model's words, for its next round. */
  readonly said: ReadonlyArray<Item>
  readonly calls: ReadonlyArray<JournalCall>
  /** In the order of the calls; absent if the run ended before them. */
  readonly ends?: ReadonlyArray<JournalEnd>
}

/** The use of all rounds so far. */
export interface JournalUse {
  /** The model's. */
  readonly used: Usage
  /** The counts of the calls. */
  readonly called: Usage
  /** The reason that the gateway counted a part itself. */
  readonly why?: Doubt | "untold" | undefined
}

/** The rounds of a request's earlier runs, with which the next one begins. */
export interface EarlierRounds extends JournalUse {
  /** Their paid calls, without those that this run has repeated. */
  readonly paid: ReadonlyArray<PaidCalls>
  readonly count: number
  readonly shown: ReadonlyArray<GenerationEvent>
  readonly items: ReadonlyArray<Item>
  readonly calls: ReadonlyArray<ServerCall>
  /** Functions that the calls have found. */
  readonly found: ReadonlyArray<FunctionTool>
}

/** Stores the rounds of a request, so that no later run calls a tool again. */
export interface RoundJournal {
  /** Stores a round before its calls leave. Fails if another run has stored it. */
  readonly begin: (number: number, round: JournalRound, use: JournalUse) => Effect.Effect<void, Failure>
  /** Stores the round again, with its ends. */
  readonly end: (number: number, round: JournalRound, use: JournalUse) => Effect.Effect<void, Failure>
}

/** A journal with what earlier runs wrote. */
export interface OpenJournal extends RoundJournal {
  readonly rounds: ReadonlyArray<JournalRound>
  readonly use: JournalUse
}
