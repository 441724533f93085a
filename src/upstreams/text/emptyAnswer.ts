import { InvalidRequest, UpstreamFailed } from "../../contract/failures/Failure.ts"
import type { Batch } from "../../generation/Generation.ts"
import type { GenerationEvent } from "../../generation/GenerationEvent.ts"
import type { GenerateOptions } from "../Upstream.ts"

/** A failure in place of an answer without content. */
export interface EmptyAnswer {
  readonly failure: InvalidRequest | UpstreamFailed
  readonly said: string
}

/**
 * The failure that a finished answer without content amounts to; undefined if it is an answer. A filter, or a full
 * context, is one only if another route or model may take over, because it is an answer to callers. Without a token of
 * output, nothing was generated; Claude's empty `end_turn` counts two or three.
 */
export const emptyAnswer = (
  events: Batch,
  { mayLeave, stream }: Pick<GenerateOptions, "mayLeave"> & Partial<Pick<GenerateOptions, "stream">>
): EmptyAnswer | undefined => {
  const end = events.at(-1)
  if (end?.type !== "finished" || !events.every(isWithoutContent)) return undefined
  switch (end.reason) {
    case "refusal":
      return mayLeave?.("refused") === true ? filtered : undefined
    case "context-exceeded":
      return mayLeave?.("too_long") === true ? full : undefined
    case "stop":
    case "tool-calls":
      return !hasTokens(events) && (stream === false || mayLeave?.("failed") === true) ? nothing : undefined
    default:
      return undefined
  }
}

const filtered: EmptyAnswer = {
  failure: new InvalidRequest({
    param: null,
    reason: "refused",
    message: "The model's upstream filtered the answer before its first token"
  }),
  said: "a filtered answer without content"
}
const full: EmptyAnswer = {
  failure: new InvalidRequest({
    param: null,
    reason: "too_long",
    message: "Your input leaves no room for an answer in the context window of this model"
  }),
  said: "no room for an answer in the context"
}
const nothing: EmptyAnswer = {
  failure: new UpstreamFailed({ message: "The model's upstream sent an answer without content" }),
  said: "an answer without content, and no token of output in its usage"
}

const isWithoutContent = (event: GenerationEvent): boolean => {
  switch (event.type) {
    case "started":
    case "usage":
    case "text-start":
    case "text-end":
    case "finished":
      return true
    case "text-delta":
      return event.text === ""
    case "passthrough":
      return event.terminal ? event.isEmpty === true : event.isBeginning === true
    default:
      return false
  }
}

const hasTokens = (events: Batch): boolean => {
  const told = events.findLast((event) => event.type === "usage")
  return told?.type === "usage" && told.usage.outputTokens > 0
}
