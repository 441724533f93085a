import { parseJson } from "../../contract/json/json.ts"
import type { Frame, Machine } from "../../generation/Machine.ts"
import { replyIn, replyOfStream } from "./reply.ts"
import type { Reply } from "./reply.ts"

interface Recorded<S, F extends Frame> {
  readonly machine: Machine<S, F>
  /** The answer that passed through; undefined if it cannot be continued. */
  readonly reply: () => Reply | undefined
}

/** A passthrough machine that records the upstream's answer. */
export const recordAnswer = <S, F extends Frame>({ initial, step }: Machine<S, F>): Recorded<S, F> => {
  const written: Array<Uint8Array | string> = []
  return {
    machine: {
      initial,
      step: (state, event) => {
        if (event.type === "passthrough") written.push(event.terminal ? event.text : event.bytes)
        return step(state, event)
      }
    },
    reply: () => {
      const text = written.map((part) => (typeof part === "string" ? part : utf8.decode(part))).join("")
      return text.startsWith("{") ? replyIn(parseJson(text)) : replyOfStream(text)
    }
  }
}

const utf8 = new TextDecoder()
