import type { FallbackReason } from "../../../src/contract/records/FallbackReason.ts"
import type { DialectName } from "./fakeUpstream.ts"

/** A provider's answer that another route or model should take over. */
export interface Refusing {
  readonly provider: string
  readonly protocol: DialectName
  readonly reason: FallbackReason
  readonly status: number
  readonly body: unknown
  /** The chunks of a streamed answer with status 200. */
  readonly chunks?: ReadonlyArray<object>
}

export const openAi = (code: string, message: string, param: string | null = null) => ({
  error: { message, type: "invalid_request_error", param, code }
})
export const azureFilter = {
  message:
    "The response was filtered due to the prompt triggering Azure OpenAI's content management policy. Please modify your prompt and retry. To learn more about our content filtering policies please read our documentation: https://go.microsoft.com/fwlink/?linkid=2198766",
  type: null,
  param: "prompt",
  code: "content_filter",
  status: 400,
  innererror: {
    code: "ResponsibleAIPolicyViolation",
    content_filter_result: {
      hate: { filtered: false, severity: "safe" },
      jailbreak: { filtered: false, detected: false },
      self_harm: { filtered: false, severity: "safe" },
      sexual: { filtered: false, severity: "safe" },
      violence: { filtered: true, severity: "medium" }
    }
  }
}
export const anthropic = (type: string, message: string) => ({
  type: "error",
  error: { type, message },
  request_id: "req_011CaxpBxEpLvE6AvvuDD5BW"
})
export const google = (code: number, status: string, message: string) => [{ error: { code, message, status } }]
export const vllm = (code: number, type: string, message: string) => ({
  object: "error",
  message,
  type,
  param: null,
  code
})

/** A whole chat answer without content, and the chunks that it would have been streamed as. */
export const chat = (finish_reason: string, output: number, more: object = {}) => {
  const usage = { prompt_tokens: 20, completion_tokens: output, total_tokens: 20 + output }
  const head = { id: "chatcmpl-1", created: 1, model: "m" }
  return {
    body: {
      ...head,
      object: "chat.completion",
      choices: [{ index: 0, message: { role: "assistant", content: null, ...more }, finish_reason }],
      usage
    },
    chunks: [
      {
        ...head,
        object: "chat.completion.chunk",
        choices: [{ index: 0, delta: { role: "assistant", content: "" }, finish_reason: null }]
      },
      { ...head, object: "chat.completion.chunk", choices: [{ index: 0, delta: {}, finish_reason }] },
      { ...head, object: "chat.completion.chunk", choices: [], usage }
    ]
  }
}

export const message = (stop_reason: string, output_tokens: number) => {
  const head = { id: "msg_1", type: "message", role: "assistant", model: "m", content: [], stop_sequence: null }
  return {
    body: { ...head, stop_reason, usage: { input_tokens: 20, output_tokens } },
    chunks: [
      { type: "message_start", message: { ...head, stop_reason: null, usage: { input_tokens: 20, output_tokens: 1 } } },
      { type: "message_delta", delta: { stop_reason, stop_sequence: null }, usage: { output_tokens } },
      { type: "message_stop" }
    ]
  }
}

export const response = (status: string, incomplete: string | undefined, output_tokens: number) => {
  const head = { id: "resp_1", object: "response", created_at: 1, model: "m", output: [], error: null }
  const body = {
    ...head,
    status,
    incomplete_details: incomplete === undefined ? null : { reason: incomplete },
    usage: { input_tokens: 20, output_tokens, total_tokens: 20 + output_tokens }
  }
  return {
    body,
    chunks: [
      { type: "response.created", sequence_number: 0, response: { ...head, status: "in_progress" } },
      { type: `response.${status}`, sequence_number: 1, response: body }
    ]
  }
}

/** What a provider answers, streamed or not. */
export const refusedBy = ({ body, chunks, protocol, status }: Refusing, stream: boolean): Response => {
  if (!stream || chunks === undefined) return Response.json(body, { status })
  const frames = chunks.map((chunk) => {
    const name = "type" in chunk ? `event: ${String(chunk.type)}\n` : ""
    return `${name}data: ${JSON.stringify(chunk)}\n\n`
  })
  const end = protocol === "openai-chat" ? "data: [DONE]\n\n" : ""
  return new Response(frames.join("") + end, { headers: { "content-type": "text/event-stream" } })
}
