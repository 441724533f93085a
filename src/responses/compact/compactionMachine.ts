import type { Machine } from "../../generation/Machine.ts"
import { GrowingList } from "../../generation/GrowingList.ts"
import { machine } from "../encode.ts"
import type { Encoding, ResponseFrame, State } from "../encoding.ts"
import { compactionItemId } from "../ids.ts"
import type { OutputItem } from "../ResponseObject.ts"
import { sealSummary } from "./summary.ts"
import { summaryIn } from "./summaryRequest.ts"

/**
 * Turns the events of a summary into the frames of a response whose only item is a `compaction`: the answer to a
 * `compaction_trigger`.
 */
export const compactionMachine = (encoding: Encoding): Machine<State, ResponseFrame> => {
  const { initial, step } = machine(encoding)
  const stepped: typeof step = (state, event) => {
    const [next, frames] = step(state, event)
    if (event.type !== "finished") return numbered(state, next, frames.filter(isLifecycle).map(withoutItems))
    const summary = summaryIn(next.response)
    if (typeof summary !== "string") return stepped(state, { type: "failed", failure: summary })
    const item: OutputItem = {
      id: compactionItemId(next.response.id),
      type: "compaction",
      status: "completed",
      encrypted_content: sealSummary(summary)
    }
    const response = { ...next.response, output: [item] }
    return numbered(state, { ...next, response, output: GrowingList.of([item]) }, [
      { type: "response.output_item.added", output_index: 0, item },
      { type: "response.output_item.done", output_index: 0, item },
      ...frames.slice(-1).map((frame) => ({ ...frame, response }))
    ])
  }
  return { initial, step: stepped }
}

const lifecycle = new Set(["response.created", "response.in_progress", "error", "response.failed"])
const isLifecycle = ({ type }: ResponseFrame): boolean => lifecycle.has(type)

/** The summary is no item of the answer. */
const withoutItems = (frame: ResponseFrame): ResponseFrame =>
  isResponse(frame["response"]) ? { ...frame, response: { ...frame["response"], output: [] } } : frame

const isResponse = (value: unknown): value is object => typeof value === "object" && value !== null

/** Numbers the frames that are left. */
const numbered = (
  { sent }: State,
  next: State,
  frames: ReadonlyArray<Omit<ResponseFrame, "sequence_number">>
): readonly [State, ReadonlyArray<ResponseFrame>] => [
  { ...next, sent: sent + frames.length },
  frames.map(({ type, ...fields }, index) => ({ ...fields, type: String(type), sequence_number: sent + index }))
]
