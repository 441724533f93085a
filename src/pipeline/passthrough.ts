import type { Failure } from "../contract/failures/Failure.ts"
import type { Incoming } from "../contract/handlers.ts"
import { wholeBody } from "../contract/bodies/wholeBody.ts"
import type { Frame, Machine, PassthroughFrame } from "../generation/Machine.ts"
import type { FinishReason, Usage } from "../generation/GenerationEvent.ts"

/** A whole answer of the content type that the upstream told, or JSON if it told none. */
export const wholeResponse = (text: string, { replyHeaders }: Incoming): Response => {
  replyHeaders["content-type"] ??= "application/json"
  return new Response(wholeBody(text), { headers: replyHeaders })
}

/** A response whose body is JSON text already (`PassthroughState.terminal`). */
export const jsonResponse = (text: string, { replyHeaders }: Incoming): Response => {
  replyHeaders["content-type"] = "application/json"
  return new Response(wholeBody(text), { headers: replyHeaders })
}

const nothing: ReadonlyArray<never> = []

/** The state of a passthrough answer. */
export interface PassthroughState {
  /** The last usage that the upstream reported; undefined if none. */
  readonly usage: Usage | undefined
  /** The JSON of a whole answer, or the last frames of a stream until they may be sent. */
  readonly terminal: string
  readonly reason: FinishReason | undefined
}

/**
 * The encoder of a passthrough generation, for `streamed` and `fold`: frames are sent as they came, and the last ones
 * wait for the commit. After `fold`, `state.terminal` is the answer's JSON.
 *
 * @param failed the family's frames for a failure in the middle of a stream
 */
export const passthroughMachine = <F extends Frame>(
  failed: (failure: Failure) => ReadonlyArray<F>
): Machine<PassthroughState, F | PassthroughFrame> => ({
  initial: { usage: undefined, terminal: "", reason: undefined },
  step: (state, event) => {
    switch (event.type) {
      case "passthrough":
        return event.terminal
          ? [{ usage: state.usage, terminal: state.terminal + event.text, reason: state.reason }, nothing]
          : [state, [{ type: "passthrough", written: event.bytes }]]
      case "usage":
        return [{ usage: event.usage, terminal: state.terminal, reason: state.reason }, nothing]
      case "finished":
        return [
          { usage: state.usage, terminal: state.terminal, reason: event.reason },
          [{ type: "passthrough", written: state.terminal }]
        ]
      case "failed":
        return [state, failed(event.failure)]
      default:
        return [state, nothing]
    }
  }
})
