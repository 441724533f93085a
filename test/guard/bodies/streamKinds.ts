import { awsEvent, awsMessage } from "../../upstreams/fakes/awsMessage.ts"
import type { ProtocolName } from "./answerKinds.ts"
import { blocks, chunks, completion, events, item, message, part, response } from "./frames.ts"
import { many } from "./Hostile.ts"
import type { Encoding } from "./packed.ts"

const mebibyte = 1_048_576

/** An answer in one piece, or as a stream: what of both there is. */
export interface Forms {
  readonly whole?: () => string
  readonly stream?: () => string | Uint8Array<ArrayBuffer>
}

/** An answer on each protocol that can have it. */
export type FormsOn = Partial<Record<ProtocolName, Forms>>

const onServerSentEvents = (told: Forms): FormsOn => ({
  "openai-chat": told,
  "anthropic-messages": told,
  "openai-responses": told,
  gemini: told
})

/** Streams of so many MiB that say nothing, and how each is packed. */
export const repeatedTo = (
  mebibytes: number
): ReadonlyArray<readonly [string, FormsOn, ReadonlyArray<Encoding>, isWorst?: true]> => {
  const full = (text: string) => text.repeat((mebibytes * mebibyte) / text.length)
  const stream = (text: string) => onServerSentEvents({ stream: () => full(text) })
  const whole = (text: string) => onServerSentEvents({ whole: () => full(text) })
  return [
    [`${mebibytes} MiB of comments`, stream(":\n"), ["gzip", "deflate", "br", "zstd"], true],
    [`${mebibytes} MiB of comments that are frames`, stream(":\n\n"), ["gzip"]],
    [`${mebibytes} MiB of long comments`, stream(`:${"x".repeat(1_000)}\n\n`), ["gzip"]],
    [`${mebibytes} MiB of blank lines`, stream("\n"), ["gzip"]],
    [`${mebibytes} MiB of names without data`, stream("event: a\n\n"), ["gzip"]],
    [`${mebibytes} MiB of data without words`, stream("data:\n\n"), ["gzip"]],
    [`${mebibytes} MiB of empty frames`, stream("data: {}\n\n"), ["gzip"]],
    [`${mebibytes} MiB of unknown fields`, stream("id\n"), ["gzip"]],
    [`${mebibytes} MiB of white space`, whole(" "), ["gzip", "deflate", "br", "zstd"]]
  ]
}

/** Messages of AWS's framing without headers and payload. */
export const emptyFrames = (count: number): FormsOn => {
  const one = awsMessage({}, "")
  return { "bedrock-converse": { stream: () => Buffer.alloc(count * one.length, one) } }
}

/** Pages that one text names as its sources. */
export const sourced = (count: number): FormsOn => {
  const citation = { title: "t", location: { web: { url: "https://example.com/a" } }, sourceContent: [{ text: "c" }] }
  const whole = () =>
    JSON.stringify({
      output: {
        message: {
          role: "assistant",
          content: [{ citationsContent: { content: [{ text: "Hi" }], citations: many(count, () => citation) } }]
        }
      },
      stopReason: "end_turn",
      usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 }
    })
  const stream = () => {
    const at = { contentBlockIndex: 0 }
    const cited = awsEvent("contentBlockDelta", { ...at, delta: { citation } })
    return Buffer.concat([
      awsEvent("messageStart", { role: "assistant" }),
      awsEvent("contentBlockDelta", { ...at, delta: { text: "Hi" } }),
      ...many(count, () => cited),
      awsEvent("contentBlockStop", at),
      awsEvent("messageStop", { stopReason: "end_turn" }),
      awsEvent("metadata", { usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 } })
    ])
  }
  return { "bedrock-converse": { whole, stream } }
}

/** A page that supports a place in a text of so many MiB. */
export const grounded = (mebibytes: number): FormsOn => {
  const answer = () =>
    JSON.stringify({
      candidates: [
        {
          content: { role: "model", parts: [{ text: "a".repeat(mebibytes * mebibyte) }] },
          finishReason: "STOP",
          groundingMetadata: {
            webSearchQueries: ["q"],
            groundingChunks: [{ web: { uri: "https://example.com/a", title: "t" } }],
            groundingSupports: [{ segment: { startIndex: 0, endIndex: 1, text: "a" }, groundingChunkIndices: [0] }]
          }
        }
      ],
      usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 }
    })
  return { gemini: { whole: answer, stream: () => `data: ${answer()}\n\n` } }
}

/** An answer in one piece with a text of so many MiB, where a stream was asked for too. */
export const longTexts = (mebibytes: number): FormsOn => {
  const text = () => "a ".repeat((mebibytes * mebibyte) / 2)
  const both = (answer: () => string): Forms => ({ whole: answer, stream: answer })
  return {
    "openai-chat": both(() => completion({ content: text() })),
    "anthropic-messages": both(() => JSON.stringify(message([{ type: "text", text: text() }]))),
    "openai-responses": both(() => JSON.stringify(response([item([part(text())])])))
  }
}

/** Pieces of one text, or of one call's arguments, of so many MiB together; each piece is of so many characters. */
export const pieces = (mebibytes: number, length: number, isCall: boolean): FormsOn => {
  const count = Math.ceil((mebibytes * mebibyte) / length)
  const text = "a ".repeat(length / 2)
  const chunk = isCall ? { tool_calls: [{ index: 0, function: { arguments: text } }] } : { content: text }
  const call = { tool_calls: [{ index: 0, id: "c0", type: "function", function: { name: "f", arguments: "" } }] }
  const where = { item_id: "msg_0", output_index: 0, content_index: 0 }
  const delta = isCall
    ? { type: "response.function_call_arguments.delta", item_id: "fc_0", output_index: 0, delta: text }
    : { type: "response.output_text.delta", ...where, delta: text }
  const called = { type: "function_call", id: "fc_0", call_id: "c0", name: "f", arguments: "" }
  return {
    "openai-chat": { stream: () => chunks([call, ...many(count, () => chunk)].slice(isCall ? 0 : 1)) },
    "anthropic-messages": {
      stream: () =>
        blocks([
          isCall
            ? [
                { type: "tool_use", id: "c0", name: "f", input: {} },
                many(count, () => ({ type: "input_json_delta", partial_json: text }))
              ]
            : [{ type: "text", text: "" }, many(count, () => ({ type: "text_delta", text }))]
        ])
    },
    "openai-responses": {
      stream: () =>
        events(
          [
            { type: "response.output_item.added", output_index: 0, item: isCall ? called : item([]) },
            ...(isCall ? [] : [{ type: "response.content_part.added", ...where, part: part("") }]),
            ...many(count, () => delta)
          ],
          []
        )
    },
    gemini: {
      stream: () =>
        many(
          count,
          () => `data: ${JSON.stringify({ candidates: [{ content: { role: "model", parts: [{ text }] } }] })}\n\n`
        ).join("")
    }
  }
}

/** Finished items of so many MiB together. */
export const finishedItems = (mebibytes: number): FormsOn => ({
  "openai-responses": {
    stream: () =>
      events(
        many(mebibytes, (output_index) => ({
          type: "response.output_item.done",
          output_index,
          item: item([part("a ".repeat(mebibyte / 2))], output_index)
        })),
        []
      )
  }
})
