import type { JsonObject } from "../../../src/contract/fields.ts"
import type { DialectName } from "../../upstreams/fakes/fakeUpstream.ts"
import { spoken } from "../../upstreams/fakes/scenarios.ts"
import type { Step } from "./plan.ts"

/** A step as the stream that would tell it, in each dialect; whether it thinks first. */
export const framesOf: Readonly<
  Record<DialectName, (step: Step, model: string, thinks: boolean) => ReadonlyArray<JsonObject>>
> = {
  "anthropic-messages": (step, model, thinks) => {
    const blocks = [
      ...(thinks
        ? [
            block({ type: "thinking", thinking: "", signature: "" }, [
              { type: "thinking_delta", thinking: spoken.thought },
              { type: "signature_delta", signature: spoken.signature }
            ])
          ]
        : []),
      step.type === "say"
        ? block(
            { type: "text", text: "" },
            words(step.text).map((text) => ({ type: "text_delta", text }))
          )
        : block({ type: "tool_use", id: `toolu_${step.turn}`, name: step.name, input: {} }, [
            { type: "input_json_delta", partial_json: "" },
            ...halves(step.input).map((partial_json) => ({ type: "input_json_delta", partial_json }))
          ])
    ]
    return [
      {
        type: "message_start",
        message: {
          id: `msg_${crypto.randomUUID().replaceAll("-", "")}`,
          type: "message",
          role: "assistant",
          model,
          content: [],
          stop_reason: null,
          stop_sequence: null,
          usage: { ...messagesInput, output_tokens: 1 }
        }
      },
      ...blocks.flatMap((of, index) => of(index)),
      {
        type: "message_delta",
        delta: { stop_reason: step.type === "say" ? "end_turn" : "tool_use", stop_sequence: null },
        usage: { ...messagesInput, output_tokens: 8 }
      },
      { type: "message_stop" }
    ]
  },

  "openai-responses": (step, model, thinks) => {
    const items = [
      ...(thinks
        ? [{ id: `rs_${crypto.randomUUID()}`, type: "reasoning", summary: [], encrypted_content: spoken.encrypted }]
        : []),
      itemOf(step)
    ]
    const over = {
      id: `resp_${crypto.randomUUID()}`,
      object: "response",
      created_at: 1_700_000_000,
      model,
      error: null
    }
    const begun = { ...over, status: "in_progress", output: [], usage: null }
    return [
      { type: "response.created", response: begun },
      { type: "response.in_progress", response: begun },
      ...items.flatMap(itemFrames),
      { type: "response.completed", response: { ...over, status: "completed", output: items, usage: responsesUsage } }
    ].map((frame, sequence_number) => ({ ...frame, sequence_number }))
  },

  "openai-chat": (step, model, thinks) => {
    const chunk = (delta: JsonObject, finish_reason: string | null = null): JsonObject => ({
      id: `chatcmpl-${crypto.randomUUID()}`,
      object: "chat.completion.chunk",
      created: 1_700_000_000,
      model,
      choices: [{ index: 0, delta, finish_reason }]
    })
    const call = (over: JsonObject) => chunk({ tool_calls: [{ index: 0, ...over }] })
    return [
      chunk({ role: "assistant", content: "" }),
      ...(thinks ? [chunk({ reasoning_content: spoken.thought })] : []),
      ...(step.type === "say"
        ? words(step.text).map((content) => chunk({ content }))
        : [
            call({ id: `call_${step.turn}`, type: "function", function: { name: step.name, arguments: "" } }),
            ...halves(step.input).map((text) => call({ function: { arguments: text } }))
          ]),
      chunk({}, step.type === "say" ? "stop" : "tool_calls"),
      { ...chunk({}), choices: [], usage: chatUsage }
    ]
  }
}

/** The same as one answer. */
export const wholeOf: Readonly<Record<DialectName, (frames: ReadonlyArray<JsonObject>, step: Step) => JsonObject>> = {
  "anthropic-messages": (frames, step) => {
    const started = frames[0]!["message"] as JsonObject
    const ended = frames.at(-2)!
    return {
      ...started,
      content: [
        step.type === "say"
          ? { type: "text", text: step.text }
          : { type: "tool_use", id: `toolu_${step.turn}`, name: step.name, input: JSON.parse(step.input) }
      ],
      ...(ended["delta"] as JsonObject),
      usage: ended["usage"]
    }
  },
  "openai-responses": (frames) => frames.at(-1)!["response"] as JsonObject,
  "openai-chat": (frames, step) => {
    const call = (said: Step & { readonly type: "call" }) => ({
      id: `call_${said.turn}`,
      type: "function",
      function: { name: said.name, arguments: said.input }
    })
    const message = step.type === "say" ? { content: step.text } : { content: null, tool_calls: [call(step)] }
    const finish_reason = step.type === "say" ? "stop" : "tool_calls"
    return {
      ...frames[0],
      object: "chat.completion",
      choices: [{ index: 0, message: { role: "assistant", ...message }, finish_reason }],
      usage: chatUsage
    }
  }
}

const messagesInput = { input_tokens: 15, cache_creation_input_tokens: 0, cache_read_input_tokens: 5 }
const chatUsage = { prompt_tokens: 20, completion_tokens: 8, total_tokens: 28 }
const responsesUsage = {
  input_tokens: 20,
  input_tokens_details: { cached_tokens: 5 },
  output_tokens: 8,
  output_tokens_details: { reasoning_tokens: 3 },
  total_tokens: 28
}

export const words = (text: string): ReadonlyArray<string> => text.match(/\S*\s*/g)?.filter((word) => word !== "") ?? []
const halves = (text: string): ReadonlyArray<string> => [text.slice(0, 6), text.slice(6)]

const block =
  (start: JsonObject, deltas: ReadonlyArray<JsonObject>) =>
  (index: number): ReadonlyArray<JsonObject> => [
    { type: "content_block_start", index, content_block: start },
    ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
    { type: "content_block_stop", index }
  ]

const itemOf = (step: Step): JsonObject => {
  if (step.type === "say") {
    const content = [{ type: "output_text", text: step.text, annotations: [], logprobs: [] }]
    return { id: `msg_${crypto.randomUUID()}`, type: "message", role: "assistant", status: "completed", content }
  }
  const call = { status: "completed", call_id: `call_${step.turn}`, name: step.name }
  return step.isCustom
    ? { ...call, id: `ctc_${crypto.randomUUID()}`, type: "custom_tool_call", input: step.input }
    : { ...call, id: `fc_${crypto.randomUUID()}`, type: "function_call", arguments: step.input }
}

const itemFrames = (item: JsonObject, output_index: number): ReadonlyArray<JsonObject> => {
  const at = { item_id: item["id"], output_index }
  const around = (empty: JsonObject, within: ReadonlyArray<JsonObject>) => [
    { type: "response.output_item.added", output_index, item: { ...item, status: "in_progress", ...empty } },
    ...within,
    { type: "response.output_item.done", output_index, item }
  ]
  switch (item["type"]) {
    case "message": {
      const [part] = item["content"] as readonly [JsonObject & { readonly text: string }]
      const inPart = { ...at, content_index: 0 }
      return around({ content: [] }, [
        { type: "response.content_part.added", ...inPart, part: { ...part, text: "" } },
        ...words(part.text).map((delta) => ({ type: "response.output_text.delta", ...inPart, delta, logprobs: [] })),
        { type: "response.output_text.done", ...inPart, text: part.text, logprobs: [] },
        { type: "response.content_part.done", ...inPart, part }
      ])
    }
    case "function_call": {
      const event = "response.function_call_arguments"
      return around({ arguments: "" }, [
        ...halves(item["arguments"] as string).map((delta) => ({ type: `${event}.delta`, ...at, delta })),
        { type: `${event}.done`, ...at, name: item["name"], arguments: item["arguments"] }
      ])
    }
    case "custom_tool_call": {
      const event = "response.custom_tool_call_input"
      return around({ input: "" }, [
        ...halves(item["input"] as string).map((delta) => ({ type: `${event}.delta`, ...at, delta })),
        { type: `${event}.done`, ...at, input: item["input"] }
      ])
    }
    default:
      return around({}, [])
  }
}
