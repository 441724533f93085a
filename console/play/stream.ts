import { Schema } from "effect"
import { ToolCall } from "./draft.ts"
import type { Family } from "./draft.ts"

/** The answer of a stream so far. */
export const Answer = Schema.Struct({
  text: Schema.String,
  reasoning: Schema.String,
  calls: Schema.Array(ToolCall),
  stop: Schema.optional(Schema.String),
  error: Schema.optional(Schema.String),
  input: Schema.optional(Schema.Number),
  output: Schema.optional(Schema.Number)
})
export type Answer = typeof Answer.Type

export const noAnswer: Answer = {
  text: "",
  reasoning: "",
  calls: [],
  stop: undefined,
  error: undefined,
  input: undefined,
  output: undefined
}

interface Usage {
  readonly input_tokens?: number
  readonly output_tokens?: number
  readonly cache_read_input_tokens?: number
  readonly prompt_tokens?: number
  readonly completion_tokens?: number
}
interface Frame {
  readonly type?: string
  readonly index?: number
  readonly output_index?: number
  readonly delta?:
    | string
    | {
        readonly type?: string
        readonly text?: string
        readonly thinking?: string
        readonly partial_json?: string
        readonly stop_reason?: string
      }
  readonly content_block?: { readonly type: string; readonly id?: string; readonly name?: string }
  readonly item?: {
    readonly type: string
    readonly call_id?: string
    readonly name?: string
    readonly arguments?: string
  }
  readonly message?: { readonly usage?: Usage } | string
  readonly usage?: Usage | null
  readonly response?: {
    readonly status?: string
    readonly usage?: Usage | null
    readonly error?: { readonly message?: string } | null
    readonly incomplete_details?: { readonly reason?: string } | null
  }
  readonly error?: { readonly message?: string } | null
  readonly choices?: ReadonlyArray<{
    readonly finish_reason?: string | null
    readonly delta?: {
      readonly content?: string | null
      readonly reasoning_content?: string | null
      readonly tool_calls?: ReadonlyArray<{
        readonly index: number
        readonly id?: string
        readonly function?: { readonly name?: string; readonly arguments?: string }
      }>
    }
  }>
}

const used = (answer: Answer, usage: Usage | null | undefined): Answer => ({
  ...answer,
  input: usage?.input_tokens ?? usage?.prompt_tokens ?? answer.input,
  output: usage?.output_tokens ?? usage?.completion_tokens ?? answer.output
})

const withArguments = (answer: Answer, more: string, at = answer.calls.length - 1): Answer => ({
  ...answer,
  calls: answer.calls.map((call, index) => (index === at ? { ...call, arguments: call.arguments + more } : call))
})

const messages = (answer: Answer, frame: Frame): Answer => {
  const { content_block: block, delta } = frame
  if (frame.type === "message_start" && typeof frame.message === "object") return used(answer, frame.message.usage)
  if (frame.type === "content_block_start" && block?.type === "tool_use") {
    return { ...answer, calls: [...answer.calls, { id: block.id ?? "", name: block.name ?? "", arguments: "" }] }
  }
  if (typeof delta !== "object") return answer
  if (delta.type === "text_delta") return { ...answer, text: answer.text + (delta.text ?? "") }
  if (delta.type === "thinking_delta") return { ...answer, reasoning: answer.reasoning + (delta.thinking ?? "") }
  if (delta.type === "input_json_delta") return withArguments(answer, delta.partial_json ?? "")
  return used({ ...answer, stop: delta.stop_reason ?? answer.stop }, frame.usage)
}

const responses = (answer: Answer, frame: Frame): Answer => {
  const { delta, item, response } = frame
  const text = typeof delta === "string" ? delta : ""
  switch (frame.type) {
    case "response.output_text.delta":
    case "response.refusal.delta":
      return { ...answer, text: answer.text + text }
    case "response.reasoning_summary_text.delta":
    case "response.reasoning_text.delta":
      return { ...answer, reasoning: answer.reasoning + text }
    case "response.output_item.added":
      return item?.type === "function_call"
        ? { ...answer, calls: [...answer.calls, { id: item.call_id ?? "", name: item.name ?? "", arguments: "" }] }
        : answer
    case "response.function_call_arguments.delta":
      return withArguments(answer, text)
    case "response.completed":
    case "response.incomplete":
      return used({ ...answer, stop: response?.incomplete_details?.reason ?? response?.status }, response?.usage)
    case "response.failed":
      return { ...answer, error: response?.error?.message ?? "failed" }
    default:
      return answer
  }
}

const chat = (answer: Answer, frame: Frame): Answer => {
  const choice = frame.choices?.[0]
  const calls = [...answer.calls]
  for (const { function: called, id, index } of choice?.delta?.tool_calls ?? []) {
    const before = calls[index]
    calls[index] = {
      id: id ?? before?.id ?? "",
      name: called?.name ?? before?.name ?? "",
      arguments: (before?.arguments ?? "") + (called?.arguments ?? "")
    }
  }
  return used(
    {
      ...answer,
      calls,
      text: answer.text + (choice?.delta?.content ?? ""),
      reasoning: answer.reasoning + (choice?.delta?.reasoning_content ?? ""),
      stop: choice?.finish_reason ?? answer.stop
    },
    frame.usage
  )
}

/** The answer after another frame. */
export const step = (family: Family, answer: Answer, frame: Frame): Answer => {
  if (frame.type === "error" || (frame.error !== undefined && frame.error !== null)) {
    const { message } = frame
    return { ...answer, error: frame.error?.message ?? (typeof message === "string" ? message : "error") }
  }
  return family === "responses"
    ? responses(answer, frame)
    : family === "chat"
      ? chat(answer, frame)
      : messages(answer, frame)
}

/** The frames of an event stream. */
export async function* frames(body: ReadableStream<Uint8Array>): AsyncGenerator<Frame> {
  const decoder = new TextDecoder()
  const reader = body.getReader()
  let rest = ""
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    rest += decoder.decode(value, { stream: true })
    const lines = rest.split("\n")
    rest = lines.pop() ?? ""
    for (const line of lines) {
      if (!line.startsWith("data:")) continue
      const data = line.slice(5).trim()
      if (data === "" || data === "[DONE]") continue
      const frame: Frame = JSON.parse(data)
      yield frame
    }
  }
}
