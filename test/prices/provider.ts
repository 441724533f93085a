import { awsEvent } from "../upstreams/fakes/awsMessage.ts"
import type { Case } from "./cases.ts"

const json = (body: unknown, headers: Readonly<Record<string, string>> = {}) => Response.json(body, { headers })
const events = (frames: ReadonlyArray<string>, headers: Readonly<Record<string, string>> = {}) =>
  new Response(frames.join(""), { headers: { "content-type": "text/event-stream", ...headers } })
const sse = (data: unknown, event?: string) =>
  `${event === undefined ? "" : `event: ${event}\n`}data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`

const words = "Some words."

/** Plays a case's answer, whole or streamed, as its provider would send it. */
export const answerOf = ({ answer, headers, model, opening, wire }: Case, stream: boolean): Response => {
  switch (wire) {
    case "responses": {
      const message = {
        type: "message",
        id: "msg_1",
        role: "assistant",
        status: "completed",
        content: [{ type: "output_text", text: words, annotations: [] }]
      }
      const output = [...list(answer["output"]), message]
      const whole = { created_at: 1, model, error: null, incomplete_details: null, tools: [], ...answer, output }
      if (!stream) return json(whole)
      // The tier at the start is what was asked, not what served.
      const begun = { ...whole, status: "in_progress", output: [], usage: null, service_tier: "auto" }
      const items = output.flatMap((item, output_index) => [
        sse({ type: "response.output_item.added", output_index, item }, "response.output_item.added"),
        sse({ type: "response.output_item.done", output_index, item }, "response.output_item.done")
      ])
      const end = `response.${String(answer["status"])}`
      return events([
        sse({ type: "response.created", response: begun }, "response.created"),
        ...items,
        sse({ type: end, response: whole }, end)
      ])
    }
    case "chat": {
      const head = { id: "chatcmpl-1", created: 1, model }
      const { object: _, choices, ...usage } = answer
      const message = { role: "assistant", content: words, ...object(object(list(choices)[0])["message"]) }
      if (!stream) {
        return json({
          ...head,
          object: "chat.completion",
          choices: [{ index: 0, message, finish_reason: "stop" }],
          ...usage
        })
      }
      const chunk = (delta: object, finish_reason: string | null) =>
        sse({ ...head, ...opening, object: "chat.completion.chunk", choices: [{ index: 0, delta, finish_reason }] })
      return events([
        chunk(message, null),
        chunk({}, "stop"),
        sse({ ...head, object: "chat.completion.chunk", choices: [], ...usage }),
        sse("[DONE]")
      ])
    }
    case "messages": {
      const { frames, whole } = messagesOf(answer, model)
      return stream ? events(frames.map((frame) => sse(frame, frame.type))) : json(whole)
    }
    case "bedrock-invoke": {
      const { frames, whole } = messagesOf(answer, model)
      if (!stream) return json(whole, headers)
      const chunks = frames.map((frame) =>
        awsEvent("chunk", { bytes: Buffer.from(JSON.stringify(frame)).toString("base64") })
      )
      return eventStream(chunks, headers)
    }
    case "gemini": {
      const candidate = {
        ...object(list(answer["candidates"])[0]),
        content: { role: "model", parts: [{ text: words }] }
      }
      const whole = { ...answer, candidates: [{ ...candidate, finishReason: "STOP", index: 0 }], modelVersion: model }
      if (!stream) return json(whole, headers)
      const first = { candidates: [{ content: candidate.content, index: 0 }], modelVersion: model, ...opening }
      const last = {
        ...whole,
        candidates: [{ ...candidate, content: { role: "model", parts: [] }, finishReason: "STOP" }]
      }
      return events([sse(first), sse(last)], headers)
    }
    case "bedrock-converse": {
      if (!stream)
        return json({
          output: { message: { role: "assistant", content: [{ text: words }] } },
          stopReason: "end_turn",
          metrics: { latencyMs: 1 },
          ...answer
        })
      const frames = [
        awsEvent("messageStart", { role: "assistant" }),
        awsEvent("contentBlockDelta", { contentBlockIndex: 0, delta: { text: words } }),
        awsEvent("contentBlockStop", { contentBlockIndex: 0 }),
        awsEvent("messageStop", { stopReason: "end_turn" }),
        awsEvent("metadata", { metrics: { latencyMs: 1 }, ...answer })
      ]
      return eventStream(frames)
    }
    case "embeddings":
      return json({
        object: "list",
        model,
        data: embeddedIn({ answer }).map((_, index) => ({ object: "embedding", index, embedding: [0.1, 0.2] })),
        ...answer
      })
  }
}

/** The lengths of the texts of an embedding, in words. */
export const embeddedIn = ({ answer }: Pick<Case, "answer">): ReadonlyArray<number> => {
  const told = Number(object(answer["usage"])["prompt_tokens"])
  const count = Math.ceil(told / 8_000)
  return Array.from({ length: count }, () => Math.ceil(told / count))
}

/** Anthropic's answer, and the frames of its stream. */
const messagesOf = (answer: Case["answer"], model: string) => {
  const usage = object(answer["usage"])
  const message = { id: "msg_1", type: "message", role: "assistant", model, stop_sequence: null }
  // The end tells tokens and iterations; tier, speed and place stand in the start alone.
  const { iterations, output_tokens, output_tokens_details, server_tool_use, ...start } = usage
  const end = {
    output_tokens,
    ...(output_tokens_details !== undefined && { output_tokens_details }),
    ...(server_tool_use !== undefined && { server_tool_use }),
    ...(iterations !== undefined && { iterations })
  }
  return {
    whole: { ...message, content: [{ type: "text", text: words }], stop_reason: "end_turn", usage },
    frames: [
      {
        type: "message_start",
        message: { ...message, content: [], stop_reason: null, usage: { ...start, output_tokens: 1 } }
      },
      { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
      { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: words } },
      { type: "content_block_stop", index: 0 },
      { type: "message_delta", delta: { stop_reason: "end_turn", stop_sequence: null }, usage: end },
      { type: "message_stop" }
    ]
  }
}

const eventStream = (frames: ReadonlyArray<Uint8Array>, headers: Readonly<Record<string, string>> = {}) =>
  new Response(Buffer.concat(frames), { headers: { "content-type": "application/vnd.amazon.eventstream", ...headers } })

const list = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])
const object = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null ? Object.fromEntries(Object.entries(value)) : {}
