type Json = Readonly<Record<string, unknown>>

const usage = { input_tokens: 1, output_tokens: 1 }

export const completion = (message: Json, more: Json = {}): string =>
  JSON.stringify({
    id: "c",
    object: "chat.completion",
    choices: [{ index: 0, message: { role: "assistant", content: null, ...message }, finish_reason: "stop" }],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
    ...more
  })
export const data = (frame: unknown) => `data: ${JSON.stringify(frame)}\n\n`
const named = (frame: Json) => `event: ${String(frame["type"])}\n${data(frame)}`
const chunk = (delta: Json) => data({ id: "c", object: "chat.completion.chunk", choices: [{ index: 0, delta }] })
export const chunks = (deltas: ReadonlyArray<Json>): string =>
  chunk({ role: "assistant" }) +
  deltas.map(chunk).join("") +
  data({ id: "c", choices: [{ index: 0, delta: {}, finish_reason: "stop" }] }) +
  data({ id: "c", choices: [], usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 } }) +
  "data: [DONE]\n\n"

export const message = (content: ReadonlyArray<Json>): Json => ({
  id: "msg_1",
  type: "message",
  role: "assistant",
  model: "m",
  content,
  stop_reason: "end_turn",
  stop_sequence: null,
  usage
})
/** @param blocks each one's start and its deltas */
export const blocks = (blocks: ReadonlyArray<readonly [Json, ReadonlyArray<Json>]>): string =>
  named({ type: "message_start", message: message([]) }) +
  blocks
    .map(
      ([content_block, deltas], index) =>
        named({ type: "content_block_start", index, content_block }) +
        deltas.map((delta) => named({ type: "content_block_delta", index, delta })).join("") +
        named({ type: "content_block_stop", index })
    )
    .join("") +
  named({ type: "message_delta", delta: { stop_reason: "end_turn", stop_sequence: null }, usage }) +
  named({ type: "message_stop" })

export const response = (output: ReadonlyArray<unknown>): Json => ({
  id: "resp_1",
  object: "response",
  created_at: 1,
  status: "completed",
  model: "m",
  error: null,
  output,
  usage: { ...usage, total_tokens: 2 }
})
/** @param frames what stands between the beginning and the end */
export const events = (frames: ReadonlyArray<Json>, output: ReadonlyArray<unknown>): string =>
  [
    { type: "response.created", response: { ...response([]), status: "in_progress" } },
    ...frames,
    { type: "response.completed", response: response(output) }
  ]
    .map((frame, sequence_number) => named({ ...frame, sequence_number }))
    .join("")
export const itemEvents = (items: ReadonlyArray<Json>): string =>
  events(
    items.flatMap((item, output_index) => [
      { type: "response.output_item.added", output_index, item },
      { type: "response.output_item.done", output_index, item }
    ]),
    items
  )
export const part = (text: string, annotations: ReadonlyArray<Json> = []) => ({
  type: "output_text",
  text,
  annotations
})
export const item = (content: ReadonlyArray<Json>, index = 0) => ({
  id: `msg_${index}`,
  type: "message",
  role: "assistant",
  status: "completed",
  content
})
export const thought = (index: number) => ({
  id: `rs_${index}`,
  type: "reasoning",
  summary: [{ type: "summary_text", text: "t" }]
})
