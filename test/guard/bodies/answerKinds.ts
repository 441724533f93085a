import {
  blocks,
  chunks,
  completion,
  data,
  events,
  item,
  itemEvents,
  message,
  part,
  response,
  thought
} from "./frames.ts"
import { many } from "./Hostile.ts"

/** The dialects of families, by the name of the protocol that is passed through. */
export const families = ["openai-chat", "anthropic-messages", "openai-responses"] as const
export type FamilyName = (typeof families)[number]
/** What an upstream speaks, by its settings' name. */
export const protocols = [...families, "gemini", "bedrock-converse"] as const
export type ProtocolName = (typeof protocols)[number]

type Json = Readonly<Record<string, unknown>>

/** An answer in one piece, and the frames that would have streamed it. */
interface Told {
  readonly whole: () => string
  readonly stream: () => string
}

/** An answer on each protocol that can tell it. */
export type OnProtocols = Partial<Record<ProtocolName, Told>>

export const calls = (count: number): OnProtocols => {
  const call = (index: number) => ({ id: `c${index}`, type: "function", function: { name: "f", arguments: "{}" } })
  const use = (index: number) => ({ type: "tool_use", id: `c${index}`, name: "f", input: {} })
  const called = (index: number) => ({
    id: `fc_${index}`,
    type: "function_call",
    call_id: `c${index}`,
    name: "f",
    arguments: "{}",
    status: "completed"
  })
  return {
    "openai-chat": {
      whole: () => completion({ tool_calls: many(count, call) }),
      stream: () => chunks(many(count, (index) => ({ tool_calls: [{ index, ...call(index) }] })))
    },
    "anthropic-messages": {
      whole: () => JSON.stringify(message(many(count, use))),
      stream: () => blocks(many(count, (index) => [use(index), [{ type: "input_json_delta", partial_json: "{}" }]]))
    },
    "openai-responses": {
      whole: () => JSON.stringify(response(many(count, called))),
      stream: () => itemEvents(many(count, called))
    }
  }
}

export const annotations = (count: number): OnProtocols => {
  const url = "https://example.com/a"
  const cited = { type: "url_citation", url_citation: { url, title: "t", start_index: 0, end_index: 1 } }
  const located = { type: "web_search_result_location", url, title: "t", encrypted_index: "x", cited_text: "c" }
  const annotation = { type: "url_citation", url, title: "t", start_index: 0, end_index: 1 }
  const where = { item_id: "msg_0", output_index: 0, content_index: 0 }
  const all = [
    item([
      part(
        "Hi",
        many(count, () => annotation)
      )
    ])
  ]
  return {
    "openai-chat": {
      whole: () => completion({ content: "Hi", annotations: many(count, () => cited) }),
      stream: () => chunks([{ content: "Hi" }, ...many(count, () => ({ annotations: [cited] }))])
    },
    "anthropic-messages": {
      whole: () => JSON.stringify(message([{ type: "text", text: "Hi", citations: many(count, () => located) }])),
      stream: () =>
        blocks([
          [
            { type: "text", text: "" },
            [{ type: "text_delta", text: "Hi" }, ...many(count, () => ({ type: "citations_delta", citation: located }))]
          ]
        ])
    },
    "openai-responses": {
      whole: () => JSON.stringify(response(all)),
      stream: () =>
        events(
          [
            { type: "response.output_item.added", output_index: 0, item: item([]) },
            { type: "response.content_part.added", ...where, part: part("") },
            { type: "response.output_text.delta", ...where, delta: "Hi" },
            ...many(count, (annotation_index) => ({
              type: "response.output_text.annotation.added",
              ...where,
              annotation_index,
              annotation
            })),
            { type: "response.output_item.done", output_index: 0, item: all[0] }
          ],
          all
        )
    }
  }
}

/** Reasoning and text by turns: each begins another item. */
export const turns = (count: number): OnProtocols => {
  const items = () => many(count, (index) => (index % 2 === 0 ? thought(index) : item([part("x")], index)))
  const block = (index: number): Json =>
    index % 2 === 0 ? { type: "thinking", thinking: "t", signature: "s" } : { type: "text", text: "x" }
  return {
    "openai-chat": {
      whole: () =>
        completion({
          content: many(count, (index) =>
            index % 2 === 0
              ? { type: "thinking", thinking: [{ type: "text", text: "t" }] }
              : { type: "text", text: "x" }
          )
        }),
      stream: () => chunks(many(count, (index) => (index % 2 === 0 ? { reasoning_content: "t" } : { content: "x" })))
    },
    "anthropic-messages": {
      whole: () => JSON.stringify(message(many(count, block))),
      stream: () => blocks(many(count, (index) => [block(index), []]))
    },
    "openai-responses": {
      whole: () => JSON.stringify(response(items())),
      stream: () => itemEvents(items())
    }
  }
}

/** Texts, each an item with a part of its own. */
export const saidItems = (count: number): OnProtocols => {
  const items = () => many(count, (index) => item([part("x")], index))
  return {
    "openai-responses": {
      whole: () => JSON.stringify(response(items())),
      stream: () => itemEvents(items())
    }
  }
}

/** Chunks for who asked for one piece: many keys that stay, and entries whose numbers are not their places. */
export const astray = (count: number): OnProtocols => {
  const text = () =>
    chunks([
      Object.fromEntries(many(9_000, (index) => [`key${index}`, 1])),
      { tool_calls: many(1_000, (index) => ({ index: index + 5_000, id: `c${index}`, function: { arguments: "" } })) },
      ...many(count, () => ({ tool_calls: [{ index: 5_999 }] }))
    ])
  return { "openai-chat": { whole: text, stream: text } }
}

/** Fields that each of the chunks would have that an answer in one piece should have been. */
export const repeated = (count: number, length: number): OnProtocols => {
  const choice = (index: number) => ({ index, message: { role: "assistant", content: "x" }, finish_reason: "stop" })
  const text = () => completion({}, { choices: many(count, choice), note: "x".repeat(length) })
  return { "openai-chat": { whole: text, stream: text } }
}

/** Calls that are all open at once, each written a piece at a time, one after the other. */
export const interleaved = (open: number, rounds: number): OnProtocols => {
  const call = (index: number, end = "") => ({
    id: `c${index}`,
    type: "function",
    function: { name: "f", arguments: `{"a":"${end}` }
  })
  const called = (index: number) => ({ type: "function_call", id: `fc_${index}`, call_id: `c${index}`, name: "f" })
  const pieces = many(rounds, () => many(open, (index) => index)).flat()
  return {
    "openai-chat": {
      whole: () => completion({ tool_calls: many(open, (index) => call(index, '"}')) }),
      stream: () =>
        chunks([
          ...many(open, (index) => ({ tool_calls: [{ index, ...call(index) }] })),
          ...pieces.map((index) => ({ tool_calls: [{ index, function: { arguments: "x" } }] })),
          ...many(open, (index) => ({ tool_calls: [{ index, function: { arguments: '"}' } }] }))
        ])
    },
    "openai-responses": {
      whole: () => JSON.stringify(response(many(open, (index) => ({ ...called(index), arguments: "{}" })))),
      stream: () =>
        events(
          [
            ...many(open, (output_index) => ({
              type: "response.output_item.added",
              output_index,
              item: { ...called(output_index), arguments: "" }
            })),
            ...pieces.map((output_index) => ({
              type: "response.function_call_arguments.delta",
              output_index,
              delta: "1"
            })),
            ...many(open, (output_index) => ({
              type: "response.output_item.done",
              output_index,
              item: { ...called(output_index), arguments: "1".repeat(rounds) }
            }))
          ],
          []
        )
    }
  }
}

export const found = (count: number): OnProtocols => {
  const result = { type: "web_search_result", url: "https://example.com/a", title: "t", encrypted_content: "x" }
  const use = { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: { query: "q" } }
  const results = { type: "web_search_tool_result", tool_use_id: "srvtoolu_1", content: many(count, () => result) }
  const searched = {
    id: "ws_1",
    type: "web_search_call",
    status: "completed",
    action: { type: "search", query: "q", sources: many(count, () => ({ type: "url", url: "https://example.com/a" })) }
  }
  return {
    "anthropic-messages": {
      whole: () => JSON.stringify(message([use, results])),
      stream: () =>
        blocks([
          [use, []],
          [results, []]
        ])
    },
    "openai-responses": {
      whole: () => JSON.stringify(response([searched])),
      stream: () => itemEvents([searched])
    }
  }
}

/** The same text everywhere: an answer in one piece, and one frame of a stream. */
export const anywhere = (text: () => string): OnProtocols => {
  const of = (event: string): Told => ({ whole: text, stream: () => `${event}data: ${text()}\n\n` })
  return {
    "openai-chat": of(""),
    "anthropic-messages": of("event: message_start\n"),
    "openai-responses": of("event: response.created\n")
  }
}

/** Frames that say nothing, so many of them. */
export const silent = (count: number): OnProtocols => ({
  "openai-chat": { whole: () => "{}", stream: () => "data: {}\n\n".repeat(count) },
  "anthropic-messages": { whole: () => "{}", stream: () => 'event: ping\ndata: {"type":"ping"}\n\n'.repeat(count) },
  "openai-responses": { whole: () => "{}", stream: () => 'event: p\ndata: {"type":"p"}\n\n'.repeat(count) }
})

export const choices = (count: number): OnProtocols => {
  const choice = (index: number) => ({ index, message: { role: "assistant", content: "x" }, finish_reason: "stop" })
  const delta = (index: number) => ({ index, delta: { content: "x" }, finish_reason: "stop" })
  return {
    "openai-chat": {
      whole: () => completion({}, { choices: many(count, choice) }),
      stream: () => data({ id: "c", choices: many(count, delta) }) + "data: [DONE]\n\n"
    }
  }
}
