import { Schema } from "effect"
import type { ResponseFrame } from "../../src/responses/encoding.ts"
import { OutputItem, ResponseObject } from "../../src/responses/ResponseObject.ts"

// oxlint-disable-next-line typescript/no-explicit-any -- the checks below are what tells the fields
type Fields = Record<string, any>

const expecting = (holds: boolean, what: string) => {
  if (!holds) throw new Error(what)
}
const same = (one: unknown, other: unknown, what: string) =>
  expecting(JSON.stringify(one) === JSON.stringify(other), `${what}: ${JSON.stringify(one)} ≠ ${JSON.stringify(other)}`)

const isResponse = Schema.is(ResponseObject)
const isItem = Schema.is(OutputItem)

/** A client of the stream, as strict as the strictest: throws on a frame it cannot expect, answers the response. */
export const read = (frames: ReadonlyArray<ResponseFrame>): ResponseObject => {
  const done: Array<OutputItem> = []
  const ids = new Set<string>()
  let item: Fields | undefined
  let part: Fields | undefined
  let phase: "before" | "created" | "running" | "error" | "over" = "before"
  let last: Fields = {}
  for (const [index, frame] of frames.entries()) {
    const fields: Fields = frame
    same(fields.sequence_number, index, "sequence_number")
    if ("item_id" in fields) same(fields.item_id, item?.id, "item_id")
    if ("output_index" in fields) same(fields.output_index, done.length, "output_index")
    if ("content_index" in fields && fields.type !== "response.content_part.added") {
      same(fields.content_index, item?.content.length - 1, "content_index")
    }
    if ("response" in fields) {
      expecting(isResponse(fields.response), "a response object in its schema")
      expecting(index === 0 || fields.response.id === last.id, "one response id")
      last = fields.response
    }
    const isRunning = phase === "running"
    switch (fields.type) {
      case "response.created":
        expecting(phase === "before", "created comes first")
        same([last.status, last.output, last.usage], ["in_progress", [], null], "a response that has begun")
        phase = "created"
        break
      case "response.in_progress":
        expecting(phase === "created", "in_progress comes second")
        phase = "running"
        break
      case "response.output_item.added":
        expecting(isRunning && item === undefined, "one item at a time")
        expecting(isItem(fields.item) && !ids.has(fields.item.id), "a new item in its schema")
        same(fields.item.status, "in_progress", "status of an item that begins")
        ids.add(fields.item.id)
        item = structuredClone(fields.item)
        break
      case "response.content_part.added":
        expecting(item?.type === "message" && part === undefined, "one part at a time")
        same(fields.content_index, item?.content.length, "content_index")
        part = structuredClone(fields.part)
        item?.content.push(part)
        break
      case "response.output_text.delta":
        expecting(part?.type === "output_text" && fields.delta !== "", "a text to go on with")
        if (part !== undefined) part.text += fields.delta
        break
      case "response.output_text.annotation.added":
        same(fields.annotation_index, part?.annotations.length, "annotation_index")
        part?.annotations.push(fields.annotation)
        break
      case "response.output_text.done":
        same(fields.text, part?.text, "the text")
        break
      case "response.refusal.delta":
        expecting(part?.type === "refusal" && fields.delta !== "", "a refusal to go on with")
        if (part !== undefined) part.refusal += fields.delta
        break
      case "response.refusal.done":
        same(fields.refusal, part?.refusal, "the refusal")
        break
      case "response.content_part.done":
        same(fields.part, part, "the part")
        part = undefined
        break
      case "response.reasoning_summary_part.added":
        same(fields.summary_index, item?.summary.length, "summary_index")
        item?.summary.push(structuredClone(fields.part))
        break
      case "response.reasoning_summary_text.delta":
        item!.summary[fields.summary_index].text += fields.delta
        break
      case "response.reasoning_summary_text.done":
        same(fields.text, item?.summary[fields.summary_index].text, "the summary")
        break
      case "response.reasoning_summary_part.done":
        same(fields.part, item?.summary[fields.summary_index], "the summary part")
        break
      case "response.function_call_arguments.delta":
        expecting(item?.type === "function_call", "a function call")
        item!.arguments += fields.delta
        break
      case "response.function_call_arguments.done":
        same([fields.name, fields.arguments], [item?.name, item?.arguments], "the arguments")
        break
      case "response.custom_tool_call_input.delta":
        expecting(item?.type === "custom_tool_call", "a custom tool call")
        item!.input += fields.delta
        break
      case "response.custom_tool_call_input.done":
        same(fields.input, item?.input, "the input")
        break
      case "response.shell_call_command.added":
        expecting(item?.type === "shell_call", "a call of the shell")
        same([fields.command_index, fields.command], [item?.action.commands.length, ""], "the next command")
        item!.action.commands.push("")
        break
      case "response.shell_call_command.delta":
        item!.action.commands[fields.command_index] += fields.delta
        break
      case "response.shell_call_command.done":
        same(fields.command, item?.action.commands[fields.command_index], "the command")
        break
      case "response.apply_patch_call_operation_diff.delta":
        expecting(item?.type === "apply_patch_call" && item.id === fields.item_id, "a patch")
        item!.operation.diff += fields.delta
        break
      case "response.apply_patch_call_operation_diff.done":
        same(fields.diff, item?.operation.diff, "the diff")
        break
      case "response.web_search_call.in_progress":
      case "response.web_search_call.searching":
      case "response.web_search_call.completed":
        expecting(item?.type === "web_search_call", "a search")
        break
      case "response.image_generation_call.in_progress":
      case "response.image_generation_call.generating":
      case "response.image_generation_call.completed":
        expecting(item?.type === "image_generation_call" && item.id === fields.item_id, "an image")
        break
      case "response.output_item.done": {
        const whole: Fields = fields.item
        expecting(isItem(whole) && part === undefined, "a whole item in its schema")
        for (const field of [
          "id",
          "type",
          "call_id",
          "name",
          "content",
          "summary",
          "arguments",
          "input",
          "operation"
        ]) {
          same(whole[field], item?.[field], field)
        }
        same(whole.action?.commands, item?.action?.commands, "the commands")
        done.push(whole as OutputItem)
        item = undefined
        break
      }
      case "error":
        same([fields.code, fields.message], [fields.error.code, fields.error.message], "both forms of the error")
        phase = "error"
        break
      case "response.failed":
        expecting(phase === "error", "the error before failed")
        if (item !== undefined) {
          same([last.output.at(-1).id, last.output.at(-1).status], [item.id, "incomplete"], "the item that was cut off")
          done.push(last.output.at(-1))
        }
        same([last.status, last.output, last.usage], ["failed", done, null], "a response that failed")
        phase = "over"
        break
      case "response.completed":
      case "response.incomplete":
        expecting(isRunning && item === undefined, "every item done")
        same([`response.${last.status}`, last.output], [fields.type, done], "the whole output")
        expecting((last.status === "completed") === (last.completed_at !== null), "completed_at when completed")
        phase = "over"
        break
      default:
        throw new Error(`unknown frame ${fields.type}`)
    }
    expecting(phase !== "over" || index === frames.length - 1, `${fields.type} is the end`)
  }
  expecting(phase === "over", "an end")
  return last as ResponseObject
}
