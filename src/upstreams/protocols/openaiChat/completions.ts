import type { JsonObject } from "../../../contract/fields.ts"
import { isObject, listAt, objectAt, textAt } from "../../../contract/json/json.ts"
import { passthroughChunks } from "../../passthrough/chunks.ts"
import type { Chunked, Gathering } from "../../passthrough/Dialect.ts"
import type { ChunkedPlace, ChunkWire } from "../Protocol.ts"
import { tellingCost } from "../toldCost.ts"
import { chatUsage } from "./chatDialect.ts"
import { begin, end, step } from "./step.ts"
import type { ChatState } from "./step.ts"

/** `/completions`, for the models that the pattern names. */
export const completionsPlace = (models: RegExp): ChunkedPlace => ({
  path: "/completions",
  serves: (model) => models.test(model),
  body,
  read: (request, isStream, tellsCost) =>
    passthroughChunks(tellsCost ? { ...wire, step: tellingCost(step) } : wire, dialect, request, isStream)
})

const body: ChunkedPlace["body"] = (asked, { stream, upstreamModel: model }) => ({
  ...asked,
  model,
  stream,
  // `chunks.ts` decides if the caller sees the usage.
  stream_options: stream ? { ...objectAt(asked, "stream_options"), include_usage: true } : undefined
})

/** Chunks have the finish reasons, usage and errors of chat's, and their content in `text`. */
const wire: ChunkWire<ChatState> = {
  begin: (back) => begin(back, { thinkTags: false, signsCalls: undefined }),
  step,
  end,
  frames: (answer) => {
    const choices = listAt(answer, "choices")
    const isAnswer = choices.length > 0 && choices.every((choice) => textAt(choice, "text") !== undefined)
    return isAnswer || answer["error"] !== undefined || answer["object"] === "error" ? [answer] : undefined
  }
}

/** A whole answer as one chunk, without the end marker. */
const asStream = (answer: JsonObject): ReadonlyArray<JsonObject> => {
  const { usage, ...rest } = answer
  return isObject(usage) ? [rest, { ...rest, choices: [], usage }] : [rest]
}

/** Builds the completion that a stream amounts to. */
const gathers = (): Gathering => {
  const choices = new Map<unknown, JsonObject>()
  let head: JsonObject = {}
  let failed: JsonObject | undefined
  return {
    add: (chunk) => {
      if ((chunk["error"] ?? undefined) !== undefined || chunk["object"] === "error") failed ??= chunk
      const { choices: _, usage, ...rest } = chunk
      head = { ...head, ...rest, ...(isObject(usage) && { usage }) }
      for (const [place, choice] of listAt(chunk, "choices").filter(isObject).entries()) {
        const index = choice["index"] ?? place
        const known = choices.get(index)
        const text = (textAt(known, "text") ?? "") + (textAt(choice, "text") ?? "")
        choices.set(index, { ...known, ...choice, index, text })
      }
    },
    whole: (isMarked) => {
      if (failed !== undefined) return failed
      const all = [...choices.values()]
      const isOver = isMarked || (all.length > 0 && all.every((one) => typeof one["finish_reason"] === "string"))
      return isOver ? { ...head, choices: all } : undefined
    }
  }
}

const dialect: Chunked = {
  headers: [],
  replyHeaders: [],
  searches: false,
  searchesIn: () => 0,
  citationMarks: [],
  marks: [],
  isLast: () => false,
  mended: (chunk) => chunk,
  gathers,
  asStream,
  body,
  usage: chatUsage
}
