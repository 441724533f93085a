import { isJsonObject } from "../../contract/fields.ts"
import type { JsonObject } from "../../contract/fields.ts"
import { listOf, objectOf, textOf } from "./parts.ts"
import { partialJson } from "./partialJson.ts"

/** Folds the events of a recorded stream, of any family and possibly cut, into the whole answer's form. */
export const wholeOf = (stream: string): JsonObject => {
  const events = eventsOf(stream)
  const error = events.find((event) => event["type"] === "error" || isJsonObject(event["error"]))
  const told = error === undefined ? {} : { error: isJsonObject(error["error"]) ? error["error"] : error }
  const whole = events.findLast(({ type }) => /^response\.(completed|incomplete|failed)$/.test(textOf(type) ?? ""))
  const response = objectOf(whole?.["response"])
  if (listOf(response["output"]).length > 0) return { ...told, ...response }
  return {
    ...told,
    choices: choicesOf(events),
    content: blocksOf(events),
    output: itemsOf(events),
    ...errorOf(response)
  }
}

const errorOf = ({ error }: JsonObject): JsonObject => (isJsonObject(error) ? { error } : {})

const eventsOf = (stream: string): ReadonlyArray<JsonObject> =>
  stream.split(/\r?\n/).flatMap((line) => {
    const event = line.startsWith("data:") ? partialJson(line.slice("data:".length)) : undefined
    return isJsonObject(event) ? [event] : []
  })

/** Appends the texts of a delta to what is there, by name. */
const append = (to: Record<string, unknown>, from: JsonObject, names: ReadonlyArray<string>): void => {
  for (const name of names) {
    const more = textOf(from[name])
    if (more !== undefined) to[name] = (textOf(to[name]) ?? "") + more
  }
}

const at = <A>(all: Map<unknown, A>, key: unknown, made: () => A): A => {
  const there = all.get(key) ?? made()
  all.set(key, there)
  return there
}

/** Chat completions. */
const choicesOf = (events: ReadonlyArray<JsonObject>) => {
  const choices = new Map<unknown, { message: Record<string, unknown>; calls: Map<unknown, Record<string, unknown>> }>()
  for (const choice of events.flatMap(({ choices }) => listOf(choices)).map(objectOf)) {
    const { calls, message } = at(choices, choice["index"], () => ({
      message: { role: "assistant" },
      calls: new Map()
    }))
    const delta = objectOf(choice["delta"])
    append(message, delta, ["content", "reasoning_content", "reasoning", "refusal"])
    for (const [place, part] of listOf(delta["tool_calls"]).map(objectOf).entries()) {
      const call = at(calls, part["index"] ?? place, () => ({ id: part["id"] }))
      append(call, objectOf(part["function"]), ["name", "arguments"])
    }
  }
  return [...choices.values()].map(({ calls, message }) => ({
    message: { ...message, tool_calls: [...calls.values()].map(({ id, ...called }) => ({ id, function: called })) }
  }))
}

/** Messages. */
const blocksOf = (events: ReadonlyArray<JsonObject>) => {
  const blocks = new Map<unknown, Record<string, unknown>>()
  for (const event of events) {
    if (event["type"] === "content_block_start") blocks.set(event["index"], { ...objectOf(event["content_block"]) })
    if (event["type"] !== "content_block_delta") continue
    const block = at(blocks, event["index"], () => ({ type: "text" }))
    const delta = objectOf(event["delta"])
    append(block, delta, ["text", "thinking"])
    append(block, { json: delta["partial_json"] }, ["json"])
  }
  return [...blocks.values()].map(({ json, ...block }) =>
    json === undefined ? block : { ...block, input: partialJson(textOf(json) ?? "") ?? json }
  )
}

/** Responses: whole items, and those that did not end from their deltas. */
const itemsOf = (events: ReadonlyArray<JsonObject>) => {
  const items = new Map<unknown, Record<string, unknown>>()
  for (const event of events) {
    const type = textOf(event["type"]) ?? ""
    const place = event["output_index"]
    if (/^response\.output_item\.(added|done)$/.test(type)) items.set(place, { ...objectOf(event["item"]) })
    const item = items.get(place)
    const delta = event["delta"]
    if (item === undefined || typeof delta !== "string") continue
    if (/^response\.(function_call_arguments|mcp_call_arguments)\.delta$/.test(type))
      append(item, { arguments: delta }, ["arguments"])
    else if (type === "response.custom_tool_call_input.delta") append(item, { input: delta }, ["input"])
    else if (/^response\.(output_text|refusal|reasoning\w*)\.delta$/.test(type))
      append(item, { so_far: delta }, ["so_far"])
  }
  return [...items.values()].map(({ so_far: text, ...item }) => {
    if (text === undefined) return item
    if (item["type"] === "reasoning") return listOf(item["summary"]).length > 0 ? item : { ...item, text }
    return listOf(item["content"]).length > 0 ? item : { ...item, content: text }
  })
}
