import type { Effect } from "effect"
import type { Caller } from "../contract/callers/Caller.ts"
import type { Failure, InvalidRequest } from "../contract/failures/Failure.ts"
import type { Incoming } from "../contract/handlers.ts"
import type { GenerationOptions, Passthrough } from "../dispatch/GenerationOptions.ts"
import type { Conversation } from "../generation/Conversation.ts"
import type { GenerationEnding } from "../generation/Generation.ts"
import type { Frame, Machine } from "../generation/Machine.ts"
import type { ApprovedCall, McpServerRequest, ServerWords } from "../generation/McpServerRequest.ts"
import type { LookAtCall } from "../guardrails/guardRequest.ts"
import type { Ending } from "./ending.ts"

/** A dialect that callers speak and that upstreams may speak too. */
export type Dialect = Passthrough["family"]

/** A decoded request with its caller. */
export interface TextInput<Payload> {
  readonly caller: Caller
  readonly payload: Payload
  readonly request: Incoming
}

/** How the routes of a model take a request. */
export interface Routes {
  /** True if some route passes the dialect through. */
  readonly passes: (model: string, dialect: Dialect) => boolean
  /** True if some route needs a translation. */
  readonly translates: (model: string, dialect: Dialect) => boolean
}

/**
 * A text endpoint as data for `Pipeline`. It consists of effects, plain functions and the promise of a store's write.
 *
 * Types: the payload; the stored data; the states of the machines that write a translated answer (S) and a passthrough
 * one (P); the whole answer (A), a `Response` if it is already serialized.
 */
export interface TextFamily<Payload, Stored, S, P, A> {
  readonly dialect: Dialect
  /** Sent on an open stream after ten seconds of silence. */
  readonly heartbeat: string
  /** True if the 200 waits for the answer, whose content type is the upstream's. */
  readonly waits?: boolean
  /** True for a failure before the first event that clients expect in the stream, not as an HTTP error. */
  readonly isToldInStream?: (failure: Failure) => boolean
  /**
   * Finds stored data for the request. If it returns undefined, there is none, and no fiber is started.
   *
   * @param mode `take` may claim data until `release`; `look` claims nothing
   */
  readonly lookUp?: (
    input: TextInput<Payload>,
    routes: Routes,
    mode: "take" | "look"
  ) => Effect.Effect<Stored, Failure> | undefined
  /** May run twice for a request, so it must claim nothing. */
  readonly understand: (input: TextInput<Payload>, stored: Stored | undefined) => TextRequest<S, P, A> | InvalidRequest
  /**
   * Releases the claimed data once: when the generation has ended, or if none begins (`failed`).
   *
   * @param stored undefined if the look-up failed or found nothing
   */
  readonly release?: (input: TextInput<Payload>, stored: Stored | undefined, how: GenerationEnding) => void
}

/** A request as its family understands it. Nothing has begun yet; expensive parts are functions. */
export interface TextRequest<S, P, A> {
  readonly conversation: Conversation
  readonly stream: boolean
  /** True if upstreams are asked for a whole answer, also for a stream. */
  readonly asksWhole?: boolean
  /** The reason that only an upstream of the request's own dialect can serve it. */
  readonly objection: () => InvalidRequest | undefined
  /**
   * The parts that a translation leaves out.
   *
   * @param runsServers true if the gateway runs the tools of the request's servers
   */
  readonly unsupported?: (runsServers?: boolean) => ReturnType<NonNullable<GenerationOptions["unsupported"]>>
  /** The MCP servers that the request names; absent if it names none. */
  readonly servers?: AskedServers | undefined
  /**
   * True if the conversation has calls of servers that the gateway made. The request is then translated: an upstream
   * doesn't know their ids. Absent where the dialect shows no such calls.
   */
  readonly hasOwnCalls?: boolean
  readonly mayReachWeb?: boolean
  /** The refusal of inputs that guardrails can't look at; absent if there are none. */
  readonly unread?: InvalidRequest | undefined
  /** Has guardrails look at the calls of tools that the gateway makes. */
  readonly lookAtCall?: LookAtCall | undefined
  /** True if the answer is stored. Defaults to false. */
  readonly isStored?: boolean
  /** The request for an upstream of its dialect; absent if it can't pass through. */
  readonly passthrough?: Passthrough["request"] | undefined
  /** Must have no effect, because it is called more than once. So must `passed`. */
  readonly translated: () => Encoding<S, A>
  readonly passed: () => Encoding<P, A>
  /** Generates several answers. `join` makes a passthrough generation. */
  readonly answers?: GenerationOptions["several"]
  /** The request with the stored data added. */
  readonly request?: Incoming
  /** True to process it in several turns of the event loop, as large bodies always are. */
  readonly isLarge?: boolean
  /** Checks the request but generates nothing. */
  readonly isDry?: boolean
}

/** The MCP servers of a request. */
export interface AskedServers {
  readonly list: () => ReadonlyArray<McpServerRequest>
  /** The first mistake in their entries. */
  readonly problem: () => InvalidRequest | undefined
  /** The most calls that the caller allows. */
  readonly mostCalls: number | undefined
  readonly words: ServerWords
  /** The calls that the caller approves. They run before the model goes on. */
  readonly approved?: (() => ReadonlyArray<ApprovedCall>) | undefined
  /** Those that the caller denies. */
  readonly denied?: (() => ReadonlyArray<ApprovedCall>) | undefined
  /** True if the conversation shows a server's list, which is then not shown again. */
  readonly isShown?: ((label: string) => boolean) | undefined
  readonly choice?: ServerChoice | undefined
  /** The first mistake that shows once the servers' tools are known. */
  readonly mistake?: ((tools: ReadonlyArray<KnownTool>) => InvalidRequest | undefined) | undefined
}

/** A tool of a request's servers. */
export interface KnownTool {
  readonly label: string
  /** The server's name of it. */
  readonly tool: string
  readonly isWithdrawn: boolean
}

/** A request's choice among the tools of its servers. */
export interface ServerChoice {
  /** `auto`: only those may be called, beside the caller's own that it chooses; `required`: one of all must; `one`: one of those must. */
  readonly mode: "auto" | "required" | "one"
  readonly isChosen: (label: string, tool: string) => boolean
  /** The path of the choice, for refusals. */
  readonly param: string
}

/** Writes an answer, and stores it. */
export interface Encoding<S, A> extends Ending<S> {
  readonly machine: Machine<S, Frame>
  /** The whole answer. */
  readonly answer: (state: S) => A
}
