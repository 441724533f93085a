import { isJsonObject } from "../../contract/fields.ts"
import type { JsonObject } from "../../contract/fields.ts"
import { parseJson } from "../../contract/json/json.ts"
import { listOf, objectOf, textOf } from "../transcript/parts.ts"
import type { Part, TranscriptMessage } from "../transcript/Transcript.ts"

/*
 * The forms of contents in OpenTelemetry's conventions for generative AI
 * (github.com/open-telemetry/semantic-conventions-genai, docs/gen-ai/gen-ai-input-messages.json and its siblings).
 */

export const messageOf = ({ parts, role }: TranscriptMessage) => ({
  role: role === "" ? "user" : role,
  parts: parts.flatMap(partOf)
})

/** A part of a message. Files are told by their address, name or media type alone. */
export const partOf = (part: Part): ReadonlyArray<JsonObject> => {
  switch (part.kind) {
    case "text":
    case "refusal":
      return [{ type: "text", content: part.text }]
    case "reasoning":
      return part.text === "" ? [] : [{ type: "reasoning", content: part.text }]
    case "call":
      return [{ type: "tool_call", id: part.id, name: part.name, arguments: parseJson(part.text) ?? part.text }]
    case "result":
      return [{ type: "tool_call_response", id: part.id, response: responseOf(part.parts) }]
    case "image":
    case "audio":
    case "video":
    case "file":
      return [{ type: "uri", modality: part.kind, uri: part.text }]
    case "other":
      return [{ type: part.name, content: part.text }]
  }
}

/** The newest prompt in words: agents put texts of their own before a prompt, and system messages behind it. */
export const newestPrompt = (messages: ReadonlyArray<unknown>): string => {
  const newest = messages.findLast((one) => !["system", "developer"].includes(String(objectOf(one)["role"])))
  return wordsOf(newest).at(-1) ?? ""
}

/** An answer in words: its texts, otherwise its calls of tools. */
export const answerInWords = (messages: ReadonlyArray<unknown>): string => wordsOf(messages.at(-1)).join("\n")

/** A message's texts, otherwise its calls and results of tools. */
const wordsOf = (message: unknown): ReadonlyArray<string> => {
  const parts = listOf(objectOf(message)["parts"]).map(objectOf)
  const texts = parts.flatMap(({ content, type }) => (type === "text" && typeof content === "string" ? [content] : []))
  if (texts.length > 0) return texts
  return parts.flatMap(({ arguments: input, name, response, type }) => {
    if (type === "tool_call") return [`${textOf(name) ?? ""} ${JSON.stringify(input)}`]
    if (type !== "tool_call_response") return []
    return [typeof response === "string" ? response : JSON.stringify(response)]
  })
}

const responseOf = (parts: ReadonlyArray<Part>): unknown =>
  parts.every(isText) ? parts.map(({ text }) => text).join("\n") : parts.flatMap(partOf)

const isText = (part: Part): part is Extract<Part, { readonly kind: "text" }> => part.kind === "text"

/** A tool of any family's request; those that upstreams run as they are. */
export const toolOf = (tool: unknown): unknown => {
  if (!isJsonObject(tool)) return tool
  const { function: within, ...flat } = tool
  const { description, input_schema: schema, name, parameters } = isJsonObject(within) ? within : flat
  const found = parameters ?? schema
  const isFunction = textOf(tool["type"]) === "function" || isJsonObject(found)
  return isFunction ? { type: "function", name, description, parameters: found } : tool
}

const reasons: Readonly<Record<string, string>> = {
  length: "length",
  max_tokens: "length",
  max_output_tokens: "length",
  content_filter: "content_filter",
  refusal: "content_filter",
  tool_calls: "tool_call",
  function_call: "tool_call",
  tool_use: "tool_call"
}

/** Names of a stop reason in an answer of any family, whole or streamed. Texts within have their quotes escaped. */
const reason = /"(?:finish_reason|stop_reason|reason)"\s{0,4}:\s{0,4}"([a-z_]{1,32})"/g

/** Why an answer ended. */
export const finishReason = (answer: string, parts: ReadonlyArray<JsonObject>, isError: boolean): string => {
  if (isError) return "error"
  const told = [...answer.matchAll(reason)].at(-1)?.[1] ?? ""
  return reasons[told] ?? (parts.some(({ type }) => type === "tool_call") ? "tool_call" : "stop")
}

/** The instructions of a body beside its messages, and the body without them. */
export const apart = ({ instructions, system, tools, ...rest }: JsonObject) => ({
  instructions: { instructions, system },
  rest,
  tools: listOf(tools)
})
