import { strict as assert } from "node:assert"
import type { Family } from "../callers.ts"

// oxlint-disable-next-line typescript/no-explicit-any -- the checks below are what tells the fields
type Fields = any

/**
 * Reads an answer as it went over the wire, as the strictest client would: throws on what no client could expect.
 *
 * @param text the body of a successful answer, streamed or whole
 */
export const checkForm = (family: Family, text: string, isStream: boolean): void => {
  if (!isStream) return wholes[family](JSON.parse(text))
  assert(text.endsWith("\n\n"), "the last frame has no end")
  const frames = text
    .split("\n\n")
    .filter((frame) => frame !== "" && !frame.startsWith(":"))
    .map((frame) => {
      const lines = frame.split("\n")
      const event = lines.find((line) => line.startsWith("event: "))?.slice("event: ".length)
      const data = lines.filter((line) => line.startsWith("data: ")).map((line) => line.slice("data: ".length))
      assert(data.length === 1 && lines.length === (event === undefined ? 1 : 2), `not one data line: ${frame}`)
      return { event, data: data[0] ?? "" }
    })
  streams[family](frames)
}

interface Frame {
  readonly event: string | undefined
  readonly data: string
}

const isCount = (value: unknown) =>
  assert(Number.isSafeInteger(value) && Number(value) >= 0, `no count: ${JSON.stringify(value)}`)

const messageUsage = (usage: Fields) => {
  for (const key of ["input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"])
    isCount(usage[key])
}

const message = (whole: Fields): void => {
  assert.deepEqual([whole.type, whole.role, typeof whole.id], ["message", "assistant", "string"])
  assert(Array.isArray(whole.content) && typeof whole.stop_reason === "string")
  for (const block of whole.content) if (block.type === "tool_use") assert(isObject(block.input), "input: an object")
  messageUsage(whole.usage)
}

const isObject = (value: unknown) => typeof value === "object" && value !== null && !Array.isArray(value)

const deltas: Readonly<Record<string, ReadonlyArray<string>>> = {
  text: ["text_delta", "citations_delta"],
  thinking: ["thinking_delta", "signature_delta"],
  tool_use: ["input_json_delta"],
  server_tool_use: ["input_json_delta"]
}

const messageStream = (frames: ReadonlyArray<Frame>): void => {
  let blocks = 0
  let open: { type: string; json: string } | undefined
  let phase: string = "before"
  for (const { event, data } of frames) {
    const frame: Fields = JSON.parse(data)
    assert.equal(event, frame.type)
    assert(phase !== "over", `${frame.type} behind the end`)
    if (frame.type === "ping") continue
    assert((frame.type === "message_start") === (phase === "before"), `${frame.type} ${phase} the start`)
    switch (frame.type) {
      case "message_start":
        assert.deepEqual([frame.message.content, frame.message.stop_reason], [[], null])
        messageUsage(frame.message.usage)
        phase = "running"
        break
      case "content_block_start":
        assert(open === undefined && frame.index === blocks++ && phase === "running", "a block out of order")
        open = { type: frame.content_block.type, json: "" }
        break
      case "content_block_delta":
        assert(open !== undefined && frame.index === blocks - 1, "a delta out of order")
        assert((deltas[open.type] ?? []).includes(frame.delta.type), `${frame.delta.type} in ${open.type}`)
        open.json += frame.delta.partial_json ?? ""
        break
      case "content_block_stop":
        assert(open !== undefined && frame.index === blocks - 1, "a stop out of order")
        if (open.json !== "") assert(isObject(JSON.parse(open.json)), "input: an object")
        open = undefined
        break
      case "message_delta":
        assert(open === undefined && phase === "running", "the totals out of order")
        assert.equal(typeof frame.delta.stop_reason, "string")
        isCount(frame.usage.output_tokens)
        phase = "told"
        break
      case "message_stop":
        assert.equal(phase, "told")
        phase = "over"
        break
      case "error":
        assert.equal(typeof frame.error.type, "string")
        phase = "over"
        break
      default:
        assert.fail(`unknown frame ${frame.type}`)
    }
  }
  assert.equal(phase, "over")
}

const response = (whole: Fields): void => {
  assert.deepEqual([whole.object, typeof whole.id], ["response", "string"])
  assert(["completed", "incomplete"].includes(whole.status))
  for (const item of whole.output) {
    assert.equal(typeof item.id, "string")
    if (item.type === "function_call" && item.status !== "incomplete") assert(isObject(JSON.parse(item.arguments)))
  }
  const { input_tokens_details, output_tokens_details, ...totals } = whole.usage
  for (const key of ["input_tokens", "output_tokens", "total_tokens"]) isCount(totals[key])
  isCount(input_tokens_details.cached_tokens)
  isCount(output_tokens_details.reasoning_tokens)
}

const responseStream = (frames: ReadonlyArray<Frame>): void => {
  const done: Array<unknown> = []
  let item: Fields
  let part: Fields
  let said = ""
  let isOver = false
  for (const [index, { event, data }] of frames.entries()) {
    const frame: Fields = JSON.parse(data)
    assert.deepEqual([event, frame.sequence_number], [frame.type, index])
    assert(!isOver, `${frame.type} behind the end`)
    if (index < 2) assert.equal(frame.type, ["response.created", "response.in_progress"][index])
    if ("item_id" in frame) assert.equal(frame.item_id, item?.id)
    if ("output_index" in frame) assert.equal(frame.output_index, done.length)
    if (frame.type.endsWith(".delta")) said += frame.delta
    switch (frame.type) {
      case "response.output_item.added":
        assert.equal(item, undefined)
        item = frame.item
        said = ""
        break
      case "response.content_part.added":
        assert.equal(part, undefined)
        part = frame.part
        said = ""
        break
      case "response.output_text.done":
      case "response.refusal.done":
        assert.equal(frame.text ?? frame.refusal, said)
        break
      case "response.function_call_arguments.done":
        assert.equal(frame.arguments, said)
        break
      case "response.content_part.done":
        assert(part !== undefined)
        part = undefined
        break
      case "response.output_item.done":
        assert.deepEqual([frame.item.id, part], [item?.id, undefined])
        done.push(frame.item)
        item = undefined
        break
      case "response.completed":
      case "response.incomplete":
        assert.equal(item, undefined)
        assert.equal(`response.${frame.response.status}`, frame.type)
        assert.deepEqual(frame.response.output, done)
        response(frame.response)
        isOver = true
        break
      case "response.failed":
        assert.deepEqual(frame.response.output.slice(0, done.length), done)
        assert.equal(typeof frame.response.error.code, "string")
        isOver = true
    }
  }
  assert(isOver, "the stream does not end")
}

const chatUsage = (usage: Fields) => {
  for (const key of ["prompt_tokens", "completion_tokens", "total_tokens"]) isCount(usage[key])
}

const completion = (whole: Fields): void => {
  assert.deepEqual([whole.object, typeof whole.id], ["chat.completion", "string"])
  const { finish_reason, message } = whole.choices[0]
  assert.deepEqual([typeof finish_reason, message.role], ["string", "assistant"])
  for (const call of message.tool_calls ?? []) assert(isObject(JSON.parse(call.function.arguments)))
  chatUsage(whole.usage)
}

const completionStream = (frames: ReadonlyArray<Frame>): void => {
  let id: unknown
  let calls = 0
  let phase: string = "running"
  for (const { event, data } of frames) {
    assert.equal(event, undefined)
    assert(phase !== "over", `${data} behind the end`)
    if (data === "[DONE]") {
      assert(phase !== "running", "an early end")
      phase = "over"
      continue
    }
    const chunk: Fields = JSON.parse(data)
    if (chunk.error !== undefined) {
      assert.equal(typeof chunk.error.message, "string")
      phase = "failed"
      continue
    }
    assert.equal(chunk.object, "chat.completion.chunk")
    assert.equal(chunk.id, (id ??= chunk.id))
    const [choice] = chunk.choices
    if (choice === undefined) {
      assert.equal(phase, "finished")
      chatUsage(chunk.usage)
      phase = "told"
      continue
    }
    assert.equal(phase, "running")
    for (const call of choice.delta.tool_calls ?? []) {
      if (call.id === undefined) assert.equal(call.index, calls - 1)
      else assert.equal(call.index, calls++)
    }
    if (typeof choice.finish_reason === "string") phase = "finished"
  }
  assert(phase === "over" || phase === "failed", "the stream does not end")
}

const wholes = { messages: message, responses: response, chat: completion }
const streams = { messages: messageStream, responses: responseStream, chat: completionStream }
