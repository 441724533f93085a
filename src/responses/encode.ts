import { inputOf } from "../contract/records/measures.ts"
import { codedError } from "../contract/failures/codedErrors.ts"
import type { Machine } from "../generation/Machine.ts"
import { cacheDetails } from "../generation/GenerationEvent.ts"
import type { FinishReason, Usage } from "../generation/GenerationEvent.ts"
import { GrowingList } from "../generation/GrowingList.ts"
import * as Sequence from "../generation/sequence.ts"
import type { SequencedEvent } from "../generation/sequence.ts"
import { emit, shownItem } from "./encoding.ts"
import type { Draft, Encoding, ResponseFrame, State } from "./encoding.ts"
import { finishServerArguments, writeServerCall } from "./mcp/mcpItems.ts"
import { begin, end, itemOf, write } from "./outputItem.ts"
import type { Closing } from "./outputItem.ts"
import { cite, writeText } from "./outputMessage.ts"
import type { OutputItem, ResponseObject } from "./ResponseObject.ts"

/**
 * Turns events into the frames of a Responses stream (docs/api.md#response-streams). The final state has the whole
 * answer.
 */
export const machine = (encoding: Encoding): Machine<State, ResponseFrame> => ({
  initial: {
    sequence: Sequence.initial,
    sent: 0,
    output: GrowingList.empty(),
    open: undefined,
    response: encoding.response
  },
  step: (state, event) => {
    const [sequence, events] = Sequence.step(state.sequence, event)
    const draft: Draft = { ...state, encoding, frames: [] }
    const isCutOff = event.type === "finished" && cutOff(event.reason) !== undefined
    for (const sequenced of events) apply(draft, sequenced, isCutOff)
    const { sent, output, open, response, frames } = draft
    return [{ sequence, sent, output, open, response }, frames]
  }
})

const cutOff = (reason: FinishReason) =>
  reason === "max-tokens" || reason === "context-exceeded" ? "max_output_tokens" : undefined

/** @param isCutOff true if the model was cut off, so that an open item is incomplete */
const apply = (draft: Draft, event: SequencedEvent, isCutOff: boolean): void => {
  const { open } = draft
  switch (event.type) {
    case "started":
      emit(draft, "response.created", { response: draft.response })
      return emit(draft, "response.in_progress", { response: draft.response })
    case "open":
      return begin(draft, event.item)
    case "delta":
      if (open?.type === "message") writeText(draft, open, event.text, event.logprobs)
      else if (open?.type === "reasoning" || open?.type === "call") write(draft, open, event.text)
      else if (open?.type === "server-call") writeServerCall(draft, open, event.text)
      return
    case "written":
      if (open?.type === "server-call") finishServerArguments(draft, open)
      return
    case "citation":
      if (open?.type === "message") cite(draft, open, event.citation)
      return
    case "close":
      // A message stays open: more text may follow, and the last message of a cut answer is incomplete.
      if (open?.type !== "message")
        end(draft, { ...event, status: isCutOff && event.isCut ? "incomplete" : "completed" })
      return
    case "finished": {
      const reason = incompleteReason(draft, event.reason)
      end(draft, { ...silently, status: reason === undefined ? "completed" : "incomplete" })
      return finished(draft, reason, event)
    }
    case "failed":
      return failed(draft, codedError(event.failure))
  }
}

const silently: Closing = { status: "completed", signature: undefined, outcome: undefined }

const visible = (draft: Draft): ReadonlyArray<OutputItem> =>
  draft.output.toArray().map((item) => shownItem(item, draft.encoding.include))

/** A refusal in words is an answer. One without words comes from a filter. */
const incompleteReason = (draft: Draft, reason: FinishReason) => {
  if (reason !== "refusal") return cutOff(reason)
  const open = draft.open === undefined ? [] : [itemOf(draft, draft.open, "completed")]
  return [...draft.output.toArray(), ...open].some((item) => item !== undefined && isRefusal(item))
    ? undefined
    : "content_filter"
}

const finished = (
  draft: Draft,
  reason: ReturnType<typeof incompleteReason>,
  { serviceTier, usage }: Extract<SequencedEvent, { readonly type: "finished" }>
) => {
  const status = reason === undefined ? "completed" : "incomplete"
  draft.response = {
    ...draft.response,
    status,
    completed_at: reason === undefined ? draft.encoding.now() : null,
    incomplete_details: reason === undefined ? null : { reason },
    output: visible(draft),
    ...(serviceTier !== undefined && { service_tier: serviceTier }),
    usage: usageOf(usage)
  }
  emit(draft, `response.${status}`, { response: draft.response })
}

const isRefusal = (item: OutputItem) => item.type === "message" && item.content.some((part) => part.type === "refusal")

/** Clients expect an error flat, nested, or in `response.failed`. All of them understand this form. */
const failed = (draft: Draft, { code, message, param, type }: ReturnType<typeof codedError>) => {
  if (draft.open !== undefined) {
    const item = itemOf(draft, draft.open, "incomplete")
    if (item !== undefined) draft.output = draft.output.with(item)
    draft.open = undefined
  }
  emit(draft, "error", { code, message, param, error: { type, code, message, param } })
  draft.response = {
    ...draft.response,
    status: "failed",
    error: { code, message, type, param },
    output: visible(draft)
  }
  emit(draft, "response.failed", { response: draft.response })
}

const usageOf = (usage: Usage): ResponseObject["usage"] => {
  const input = inputOf(usage)
  return {
    input_tokens: input,
    input_tokens_details: cacheDetails(usage),
    output_tokens: usage.outputTokens,
    output_tokens_details: { reasoning_tokens: usage.reasoningTokens },
    total_tokens: input + usage.outputTokens
  }
}
