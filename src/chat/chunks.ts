import type { Failure } from "../contract/failures/Failure.ts"
import { codedError } from "../contract/failures/codedErrors.ts"
import { randomHex } from "../contract/text/randomHex.ts"
import type { JsonObject } from "../contract/fields.ts"
import type { Logprobs } from "../generation/GenerationEvent.ts"
import type { PassthroughFrame } from "../generation/Machine.ts"
import type { Annotation, FinishReason, MadeImage, Usage } from "./Completion.ts"

/** A chunk's addition to the message. */
export interface Delta {
  readonly role?: "assistant"
  readonly content?: string
  readonly refusal?: string
  readonly reasoning_content?: string
  readonly reasoning_details?: ReadonlyArray<JsonObject>
  readonly annotations?: ReadonlyArray<Annotation>
  readonly images?: ReadonlyArray<MadeImage>
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

/** The fields that all chunks of an answer share. */
export interface Head {
  readonly id: string
  readonly created: number
  readonly model: string
  /** True if the caller wants a usage chunk. All other chunks then have `usage: null`. */
  readonly includeUsage: boolean
}

/** @param kind begins the id */
export const headOf = (
  { model, stream_options }: { readonly model: string; readonly stream_options?: StreamOptions | null | undefined },
  kind: "chatcmpl" | "cmpl"
): Head => ({
  id: `${kind}-${randomHex()}`,
  created: Math.floor(Date.now() / 1_000),
  model,
  includeUsage: stream_options?.include_usage ?? false
})

interface StreamOptions {
  readonly include_usage?: boolean | null | undefined
}

/** Writes an answer's chunks. Their common part is serialized once. */
export interface Writer {
  readonly delta: (delta: Delta, logprobs?: Logprobs) => PassthroughFrame
  readonly finish: (reason: FinishReason, serviceTier?: string) => PassthroughFrame
}

export const writer = (head: Head, index: number): Writer => {
  const choice = `"choices":[{"index":${index},"delta":`
  const start = `data: ${firstChunk(head)}${choice}`
  const end = head.includeUsage ? `}],"usage":null}\n\n` : `}]}\n\n`
  return {
    delta: (delta, logprobs) => {
      const told = logprobs === undefined ? "null" : JSON.stringify(logprobsOf(logprobs))
      return passthroughFrame(`${start}${JSON.stringify(delta)},"logprobs":${told},"finish_reason":null${end}`)
    },
    finish: (reason, serviceTier) => {
      const tier = serviceTier === undefined ? "" : `"service_tier":${JSON.stringify(serviceTier)},`
      return passthroughFrame(
        `data: ${firstChunk(head)}${tier}${choice}{},"logprobs":null,"finish_reason":"${reason}"${end}`
      )
    }
  }
}

/** Log probabilities as a choice has them. */
export const logprobsOf = (content: Logprobs) => ({ content, refusal: null })

const firstChunk = ({ created, id, model }: Head): string => {
  const head = JSON.stringify({ id, object: "chat.completion.chunk", created, model })
  return `${head.slice(0, -1)},`
}

/** The end of the stream: the usage if requested, and `[DONE]`. */
export const endFrames = (head: Head, usage: Usage): string =>
  (head.includeUsage ? `data: ${firstChunk(head)}"choices":[],"usage":${JSON.stringify(usage)}}\n\n` : "") + done

export const done = "data: [DONE]\n\n"

/** A failure in the middle of a stream, which ends it. */
export const failureFrame = (failure: Failure): PassthroughFrame =>
  passthroughFrame(`data: ${JSON.stringify({ error: codedError(failure) })}\n\n`)

export const passthroughFrame = (text: string): PassthroughFrame => ({ type: "passthrough", written: text })
