import type { Failure } from "../contract/Failure.ts"
import type { Incoming } from "../contract/handlers.ts"
import { wholeBody } from "../contract/wholeBody.ts"
import type { Frame, Machine, PassthroughFrame } from "../generation/Machine.ts"
import type { FinishReason, Usage } from "../generation/GenerationEvent.ts"

/** An answer in one piece that is JSON text already (`NativeState.terminal`). */
export const jsonResponse = (text: string, { replyHeaders }: Incoming): Response => {
  replyHeaders["content-type"] = "application/json"
  return new Response(wholeBody(text), { headers: replyHeaders })
}

const nothing: ReadonlyArray<never> = []

/** What passed through so far. */
export interface PassthroughState {
  /** The last totals the upstream told; undefined where it told none. */
  readonly usage: Usage | undefined
  /** The JSON of an answer in one piece, or the stream's last frames until they may leave. */
  readonly terminal: string
  readonly reason: FinishReason | undefined
}

/**
 * The encoder of a forwarded generation, for `streamed` and `folded`: frames go out as they came in, and the last ones
 * wait until the answer is committed. After `folded`, `state.terminal` is the answer's JSON.
 *
 * @param failed the family's frames for a failure in mid-stream
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
