import type { Failure } from "../contract/Failure.ts"
import { codedError } from "../contract/codedErrors.ts"
import type { JsonObject } from "../contract/fields.ts"
import type { PassthroughFrame } from "../generation/Machine.ts"
import type { Annotation, FinishReason, Usage } from "./Completion.ts"

/** What a chunk adds to an answer's message. */
export interface Delta {
  readonly role?: "assistant"
  readonly content?: string
  readonly refusal?: string
  readonly reasoning_content?: string
  readonly reasoning_details?: ReadonlyArray<JsonObject>
  readonly annotations?: ReadonlyArray<Annotation>
  readonly tool_calls?: ReadonlyArray<ToolCallDelta>
  readonly function_call?: { readonly name?: string; readonly arguments: string }
}

export interface ToolCallDelta {
  readonly index: number
  readonly id?: string
  readonly type?: "function" | "custom"
  readonly function?: { readonly name?: string; readonly arguments: string }
  readonly custom?: { readonly name?: string; readonly input: string }
}

/** What all chunks of an answer have in common. */
export interface Head {
  readonly id: string
  readonly created: number
  readonly model: string
  /** Whether the caller wants a chunk with the usage; every other one then says that it has none. */
  readonly includeUsage: boolean
}

/** Writes an answer's chunks: they differ in little, so the rest is made text once. */
export interface Writer {
  readonly delta: (delta: Delta) => PassthroughFrame
  readonly finish: (reason: FinishReason) => PassthroughFrame
}

export const writer = (head: Head, index: number): Writer => {
  const start = `data: ${opened(head)}"choices":[{"index":${index},"delta":`
  const end = head.includeUsage ? `}],"usage":null}\n\n` : `}]}\n\n`
  return {
    delta: (delta) => written(`${start}${JSON.stringify(delta)},"logprobs":null,"finish_reason":null${end}`),
    finish: (reason) => written(`${start}{},"logprobs":null,"finish_reason":"${reason}"${end}`)
  }
}

const opened = ({ created, id, model }: Head): string => {
  const head = JSON.stringify({ id, object: "chat.completion.chunk", created, model })
  return `${head.slice(0, -1)},`
}

/** What stands behind the last answer: the usage where it was asked for, and the end. */
export const ending = (head: Head, usage: Usage): string =>
  (head.includeUsage ? `data: ${opened(head)}"choices":[],"usage":${JSON.stringify(usage)}}\n\n` : "") + done

const done = "data: [DONE]\n\n"

/** A failure after the stream has begun: nothing follows it. */
export const failed = (failure: Failure): PassthroughFrame =>
  written(`data: ${JSON.stringify({ error: codedError(failure) })}\n\n`)

export const written = (text: string): PassthroughFrame => ({ type: "passthrough", written: text })
