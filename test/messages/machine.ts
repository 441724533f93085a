import type { GenerationEvent } from "../../src/generation/GenerationEvent.ts"
import type { State } from "../../src/messages/draft.ts"
import { machine } from "../../src/messages/encode.ts"
import type { StreamFrame } from "../../src/messages/frames.ts"

/** Every frame of a list of events, and the state after it. */
export const run = (
  events: ReadonlyArray<GenerationEvent>,
  options: { readonly hideThinking?: boolean } = {}
): { readonly frames: ReadonlyArray<StreamFrame>; readonly state: State } => {
  const { initial, step } = machine({
    id: "msg_1",
    model: "gw-text",
    requestId: "req_1",
    hideThinking: options.hideThinking ?? false
  })
  const frames: Array<StreamFrame> = []
  let state = initial
  for (const event of events) {
    const [next, more] = step(state, event)
    state = next
    frames.push(...more)
  }
  return { frames, state }
}

export const rendered = (frames: ReadonlyArray<StreamFrame>): string =>
  frames.map((frame) => `event: ${frame.type}\ndata: ${JSON.stringify(frame)}\n\n`).join("")
