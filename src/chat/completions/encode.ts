import { appendText } from "../../generation/appendText.ts"
import { noUsage } from "../../generation/GenerationEvent.ts"
import type { FinishReason as Ended, Usage } from "../../generation/GenerationEvent.ts"
import type { Machine, PassthroughFrame } from "../../generation/Machine.ts"
import * as Sequence from "../../generation/sequence.ts"
import { done, failureFrame, passthroughFrame } from "../chunks.ts"
import type { Head } from "../chunks.ts"
import { usageOf } from "../usage.ts"
import type { FinishReason, TextChoice, TextCompletion } from "./TextCompletion.ts"

export interface State {
  readonly sequence: Sequence.State
  readonly text: string
  /** True inside an item whose text is part of the answer. Reasoning is not. */
  readonly isTold: boolean
  readonly finish: FinishReason
  readonly usage: Usage
}

/**
 * Turns generation events into the chunks of a text completion (docs/api.md#completions). The final state has the whole
 * answer.
 *
 * @param index of the answer among all of the request's
 * @param isWhole true if usage and `[DONE]` follow
 */
export const machine = (head: Head, index: number, isWhole: boolean): Machine<State, PassthroughFrame> => ({
  initial: { sequence: Sequence.initial, text: "", isTold: false, finish: "stop", usage: noUsage },
  step: (before, event) => {
    const [sequence, events] = Sequence.step(before.sequence, event)
    let state: State = { ...before, sequence }
    const frames: Array<PassthroughFrame> = []
    for (const one of events) {
      switch (one.type) {
        case "open":
          state = { ...state, isTold: one.item.type === "text" || one.item.type === "refusal" }
          break
        case "delta":
          if (!state.isTold) break
          state = { ...state, text: appendText(state.text, one.text) }
          frames.push(chunk(head, { text: one.text, index, logprobs: null, finish_reason: null }))
          break
        case "finished": {
          const finish = finishOf(one.reason)
          state = { ...state, finish, usage: one.usage }
          frames.push(chunk(head, { text: "", index, logprobs: null, finish_reason: finish }))
          if (isWhole) frames.push(passthroughFrame(endFrames(head, one.usage)))
          break
        }
        case "failed":
          state = { ...state, usage: one.usage }
          frames.push(failureFrame(one.failure))
          break
        default:
      }
    }
    return [state, frames]
  }
})

const finishOf = (reason: Ended): FinishReason => {
  switch (reason) {
    case "max-tokens":
    case "context-exceeded":
      return "length"
    case "refusal":
      return "content_filter"
    default:
      return "stop"
  }
}

type ChunkChoice = Omit<TextChoice, "finish_reason"> & { readonly finish_reason: FinishReason | null }

const fieldsOf = ({ created, id, model }: Head) => ({ id, object: "text_completion", created, model }) as const

const chunk = (head: Head, choice: ChunkChoice): PassthroughFrame =>
  passthroughFrame(written({ ...fieldsOf(head), choices: [choice], ...(head.includeUsage && { usage: null }) }))

/** The end of the stream: the usage if requested, and `[DONE]`. */
export const endFrames = (head: Head, usage: Usage): string =>
  (head.includeUsage ? written({ ...fieldsOf(head), choices: [], usage: usageOf(usage) }) : "") + done

const written = (data: object): string => `data: ${JSON.stringify(data)}\n\n`

/** The whole answer, of the last state of each of its answers. */
export const completionOf = (head: Head, states: ReadonlyArray<State>, usage: Usage): TextCompletion => ({
  ...fieldsOf(head),
  choices: states.map(({ finish, text }, index) => ({ text, index, logprobs: null, finish_reason: finish })),
  usage: usageOf(usage)
})
