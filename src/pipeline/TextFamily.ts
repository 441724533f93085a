import type { Effect } from "effect"
import type { Caller } from "../contract/Caller.ts"
import type { Failure, InvalidRequest } from "../contract/Failure.ts"
import type { Incoming } from "../contract/handlers.ts"
import type { GenerationOptions, Passthrough } from "../dispatch/GenerationOptions.ts"
import type { Conversation } from "../generation/Conversation.ts"
import type { GenerationEnding } from "../generation/Generation.ts"
import type { Frame, Machine } from "../generation/Machine.ts"
import type { Ending } from "./ending.ts"

/** A dialect that callers speak and that upstreams may speak too. */
export type Dialect = Passthrough["family"]

/** A decoded request with its caller. */
export interface TextInput<Payload> {
  readonly caller: Caller
  readonly payload: Payload
  readonly request: Incoming
}

/** How the routes of a model, by its id, take a request. */
export interface Routes {
  /** Some route takes the dialect as it is. */
  readonly passes: (model: string, dialect: Dialect) => boolean
  /** Some route needs a translation. */
  readonly translates: (model: string, dialect: Dialect) => boolean
}

/**
 * A text endpoint as data for `Pipeline`. It sees effects, plain functions and the promise of a store's write.
 *
 * Types: the payload; what the look-up finds; the states of the machines that write a translated answer (S) and one that
 * passes through (P); the whole answer (A), a `Response` where it is written already.
 */
export interface TextFamily<Payload, Stored, S, P, A> {
  readonly dialect: Dialect
  /** The kind of model; text unless said otherwise. */
  readonly kind?: "embedding"
  /** Sent on an open stream after ten seconds of silence. */
  readonly heartbeat: string
  /** True for a failure before the first event that clients expect in the stream, not as an HTTP error. */
  readonly isToldInStream?: (failure: Failure) => boolean
  /**
   * Finds stored data that belongs to the request. Undefined where there is none, which costs no fiber.
   *
   * @param mode `take` may claim what it finds until `release`; `look` claims nothing
   */
  readonly lookUp?: (
    input: TextInput<Payload>,
    routes: Routes,
    mode: "take" | "look"
  ) => Effect.Effect<Stored, Failure> | undefined
  /** May run twice for one request, so it claims nothing. */
  readonly understand: (input: TextInput<Payload>, stored: Stored | undefined) => TextRequest<S, P, A> | InvalidRequest
  /**
   * Releases what the look-up claimed: once, when the generation has ended, or when none begins (`failed`).
   *
   * @param stored undefined where the look-up failed or found nothing
   */
  readonly release?: (input: TextInput<Payload>, stored: Stored | undefined, how: GenerationEnding) => void
}

/** One request as its family understands it. Nothing has begun, and what takes work is a function. */
export interface TextRequest<S, P, A> {
  readonly conversation: Conversation
  readonly stream: boolean
  /** Why only an upstream of the request's own dialect may have it. */
  readonly objection: () => InvalidRequest | undefined
  /** The parts that a translation leaves out. */
  readonly unsupported?: NonNullable<GenerationOptions["unsupported"]>
  readonly mayReachWeb?: boolean
  /** The request for an upstream of its dialect; left out, it never passes through. */
  readonly passthrough?: Passthrough["request"] | undefined
  /** Called more than once, so it has no effect; so is `passed`. */
  readonly translated: () => Encoding<S, A>
  readonly passed: () => Encoding<P, A>
  /** Several answers; `join` makes a generation that passes through. */
  readonly answers?: GenerationOptions["several"]
  /** The request with what the look-up added to it. */
  readonly request?: Incoming
  /** Worked on in several turns of the event loop, as a large body always is. */
  readonly isLarge?: boolean
  /** Refused what it would be refused; nothing is generated. */
  readonly isDry?: boolean
}

/** How an answer is written, and what is kept of it. */
export interface Encoding<S, A> extends Ending<S> {
  readonly machine: Machine<S, Frame>
  /** The whole answer. */
  readonly answer: (state: S) => A
}
