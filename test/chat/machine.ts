import type { GenerationEvent } from "../../src/generation/GenerationEvent.ts"
import type { Options, State } from "../../src/chat/encode.ts"
import { machine } from "../../src/chat/encode.ts"

export const head = { id: "chatcmpl-1", created: 1, model: "gw-text", includeUsage: true }

/** Every frame's text of a list of events, and the state after it. */
export const run = (
  events: ReadonlyArray<GenerationEvent>,
  options: Partial<Options> = {}
): { readonly frames: ReadonlyArray<string>; readonly state: State } => {
  const { initial, step } = machine({ head, index: 0, isWhole: true, isLegacy: false, ...options })
  const frames: Array<string> = []
  let state = initial
  for (const event of events) {
    const [next, more] = step(state, event)
    state = next
    for (const { written } of more) frames.push(String(written))
  }
  return { frames, state }
}
