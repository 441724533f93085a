import type { Effect } from "effect"
import type { FunctionTool, ToolCallItem, ToolResultItem } from "../generation/Conversation.ts"
import type { ApprovedCall } from "../generation/McpServerRequest.ts"
import type { GenerationEvent, PaidCalls, Usage } from "../generation/GenerationEvent.ts"

/** A call of a server tool. */
export interface ServerCall {
  /** The gateway's own id, which client and model see. */
  readonly id: string
  /** The name under which the model called it. */
  readonly name: string
  /** As the model wrote them. */
  readonly arguments: string
  /** The approval that the caller gave to it; absent if it needs none. */
  readonly approval?: ApprovedCall | undefined
}

/** The end of a call. */
export interface ServerCallEnd {
  /** For the client. */
  readonly events: ReadonlyArray<GenerationEvent>
  /** The call and its result for the model's next round. Runs once, in the order of the calls. */
  readonly items: () => readonly [ToolCallItem, ToolResultItem]
  /** Its counts, at most the tool's `mostUsage`. */
  readonly usage: Usage
  /** Functions that the model may call from the next round on. */
  readonly found?: ReadonlyArray<FunctionTool>
}

/**
 * A tool that runs on this side: the model calls it by one of its names, the client sees what the tool shows of the
 * call. One server may have many names.
 */
export interface ServerTool {
  readonly names: ReadonlySet<string>
  /** The most calls of a request. */
  readonly mostCalls: number
  /** True if its calls do not count against the caller's bound. */
  readonly isFree?: true
  /** The highest counts of a call. */
  readonly mostUsage: (call: ServerCall) => Usage
  /** The calls that have left so far, as far as they cost something. Absent: none does. */
  readonly paid?: () => ReadonlyArray<PaidCalls>
  /** The names whose calls need the caller's approval. They are shown to the client at the end, and not run. */
  readonly asked?: ReadonlySet<string>
  /** Asks the client for its approval of a call. */
  readonly asks?: (call: ServerCall) => ReadonlyArray<GenerationEvent>
  /** Shows a call to the client as soon as its name is known. Absent: it is shown later. */
  readonly opens?: (call: Omit<ServerCall, "arguments">) => ReadonlyArray<GenerationEvent>
  /** Shows a piece of the arguments. */
  readonly writes?: (id: string, text: string) => ReadonlyArray<GenerationEvent>
  /** Shows a whole call before it runs. */
  readonly begins: (call: ServerCall) => ReadonlyArray<GenerationEvent>
  /** Runs a call, within bounds of its own on time and bytes. A failure is an end too: the model reads it and goes on. */
  readonly run: (call: ServerCall) => Effect.Effect<ServerCallEnd>
  /** True if a call whose end is not known may run again. Absent: none may. */
  readonly mayRepeat?: (call: ServerCall) => boolean
  /** The end of a call that is not run, because no more are allowed. */
  readonly refuse: (call: ServerCall) => Effect.Effect<ServerCallEnd>
}

/** The server tools that a request offers beside those of its conversation. */
export interface OfferedTools {
  readonly tools: ReadonlyArray<ServerTool>
  /** Shown to the client before the model's first words. */
  readonly opening: ReadonlyArray<Extract<GenerationEvent, { readonly type: "server-tools" }>>
}

/** Changes the model's text on its way to the client. */
export interface TextFilter {
  readonly write: (piece: string) => ReadonlyArray<GenerationEvent>
  /** Ends a text and gives what was held back. */
  readonly end: () => ReadonlyArray<GenerationEvent>
}
