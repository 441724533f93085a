import { isJsonObject } from "../../contract/fields.ts"
import type { JsonObject } from "../../contract/fields.ts"
import type { ResponseFrame } from "../encoding.ts"
import type { OutputItem } from "../ResponseObject.ts"

/** Collects output items, finished or not, from the events of an answer. */
export class ItemsSoFar {
  readonly #items: Array<Record<string, unknown>> = []
  readonly #done = new Set<number>()

  take(frame: ResponseFrame): void {
    const { item, output_index: index } = frame
    if (typeof index !== "number" || !Number.isSafeInteger(index) || index < 0 || index > this.#items.length) return
    if (frame.type === "response.output_item.added" || frame.type === "response.output_item.done") {
      if (!isJsonObject(item)) return
      this.#items[index] = copyOf(item)
      if (frame.type === "response.output_item.done") this.#done.add(index)
      return
    }
    const open = this.#items[index]
    if (open !== undefined && !this.#done.has(index)) addTo(open, frame)
  }

  /** Unfinished items are marked incomplete. */
  items(): ReadonlyArray<OutputItem> {
    return this.#items
      .map((item, index) => (this.#done.has(index) ? item : { ...item, status: "incomplete" }))
      .filter(isItem)
  }
}

/** A copy of the parts that grow, because the events themselves must not change. */
const copyOf = (item: JsonObject): Record<string, unknown> => ({
  ...item,
  ...(Array.isArray(item["content"]) && { content: item["content"].map(partCopy) }),
  ...(Array.isArray(item["summary"]) && { summary: item["summary"].map(partCopy) })
})

const partCopy = (part: unknown) => (isJsonObject(part) ? { ...part } : part)

/** A server's list of tools has no status. */
const isItem = (item: JsonObject): item is OutputItem =>
  typeof item["type"] === "string" &&
  typeof item["id"] === "string" &&
  (typeof item["status"] === "string" || (item["type"] === "mcp_list_tools" && item["status"] === undefined))

const addTo = (item: Record<string, unknown>, frame: ResponseFrame): void => {
  const { delta } = frame
  switch (frame.type) {
    case "response.content_part.added":
    case "response.content_part.done":
      return put(item, "content", frame["content_index"], frame["part"])
    case "response.reasoning_summary_part.added":
    case "response.reasoning_summary_part.done":
      return put(item, "summary", frame["summary_index"], frame["part"])
    case "response.output_text.delta":
    case "response.reasoning_text.delta":
      return grow(partOf(item, "content", frame["content_index"]), "text", delta)
    case "response.refusal.delta":
      return grow(partOf(item, "content", frame["content_index"]), "refusal", delta)
    case "response.reasoning_summary_text.delta":
      return grow(partOf(item, "summary", frame["summary_index"]), "text", delta)
    case "response.function_call_arguments.delta":
      return grow(item, "arguments", delta)
    case "response.custom_tool_call_input.delta":
      return grow(item, "input", delta)
  }
}

type MutableObject = Record<string, unknown>

const grow = (part: MutableObject | undefined, field: string, delta: unknown): void => {
  if (part === undefined || typeof delta !== "string") return
  const before = part[field]
  part[field] = typeof before === "string" ? before + delta : delta
}

/** Items are copies, so their lists may grow. */
const put = (item: MutableObject, list: string, at: unknown, part: unknown): void => {
  if (typeof at !== "number" || !isJsonObject(part)) return
  const before: unknown = item[list]
  const parts: Array<unknown> = Array.isArray(before) ? before : []
  if (at >= 0 && at <= parts.length) parts[at] = { ...part }
  item[list] = parts
}

const partOf = (item: MutableObject, list: string, at: unknown): MutableObject | undefined => {
  const parts: unknown = item[list]
  const part: unknown = Array.isArray(parts) && typeof at === "number" ? parts[at] : undefined
  return isJsonObject(part) ? part : undefined
}
