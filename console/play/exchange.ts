import { Schema } from "effect"
import { Input } from "./draft.ts"
import type { Message } from "./draft.ts"
import { Answer } from "./stream.ts"

/** Pictures and sound of an answer: a data URL, or an upstream's address. */
const Media = Schema.Struct({ kind: Schema.Literal("image", "audio"), url: Schema.String })
export type Media = typeof Media.Type

/** A question and its answer so far. */
export const Exchange = Schema.Struct({
  asked: Input,
  model: Schema.String,
  /** `failed`: refused or cut. A stopped or failed answer may be a part. */
  state: Schema.Literal("running", "finished", "stopped", "failed"),
  answer: Answer,
  /** The code of a refusal. */
  code: Schema.optional(Schema.String),
  status: Schema.optional(Schema.Number),
  requestId: Schema.optional(Schema.String),
  firstMs: Schema.optional(Schema.Number),
  ms: Schema.Number,
  /** In dollars; absent while it is not known. */
  cost: Schema.optional(Schema.Number),
  adapted: Schema.optional(Schema.String),
  media: Schema.optional(Schema.Array(Media)),
  /** The task that the request created. */
  task: Schema.optional(Schema.String),
  /** Of a video task: its status, how far it is in per cent, and its clip. */
  video: Schema.optional(
    Schema.Struct({
      status: Schema.String,
      progress: Schema.optional(Schema.Number),
      url: Schema.optional(Schema.String)
    })
  )
})
export type Exchange = typeof Exchange.Type

/**
 * The conversation before something is asked. Failed exchanges are left out, and calls that got no results.
 *
 * @param next what is asked
 */
export const messagesOf = (exchanges: ReadonlyArray<Exchange>, next: Input): ReadonlyArray<Message> => {
  const sound = exchanges.filter(({ state }) => state !== "failed")
  return sound.flatMap(({ answer: { calls, text }, asked }, at) => {
    const answered = (sound[at + 1]?.asked ?? next).role === "tools" ? calls : []
    return text === "" && answered.length === 0 ? [] : [asked, { role: "assistant" as const, text, calls: answered }]
  })
}

/** The tool calls that wait for their results. */
export const pendingCalls = (exchanges: ReadonlyArray<Exchange>) => {
  const last = exchanges.at(-1)
  return last?.state === "finished" ? last.answer.calls : []
}
