import type { JsonObject } from "../../../contract/fields.ts"
import { isObject, listAt, textAt } from "../../../contract/json/json.ts"
import { isBlank } from "./blankText.ts"

/**
 * A request whose turns the dialect takes: with texts that hold something, without citations that are null, and with an
 * id of its own for each call. The same object if nothing changes.
 */
export const mendTurns = (body: JsonObject): JsonObject => {
  const turns = listAt(body, "messages")
  const ids = new CallIds()
  const left = turns.flatMap((turn) => {
    const mended = isObject(turn) ? ids.renamed(mendTurn(turn)) : turn
    return isEmpty(mended) ? [] : [mended]
  })
  const isSame = left.length === turns.length && left.every((turn, at) => turn === turns[at])
  // The place says itself that nothing is asked.
  return isSame || left.length === 0 ? body : { ...body, messages: left }
}

/** System text in front of the turns, which belongs to the prompt's own. */
export const withSystemInFront = (body: JsonObject): JsonObject => {
  const turns = listAt(body, "messages")
  const first = turns.findIndex((turn) => textAt(turn, "role") !== "system")
  if (first <= 0) return body
  const moved = turns.slice(0, first).flatMap((turn) => (isObject(turn) ? blocksOf(turn["content"]) : []))
  return { ...body, system: [...blocksOf(body["system"]), ...moved], messages: turns.slice(first) }
}

const blocksOf = (content: unknown): ReadonlyArray<unknown> =>
  typeof content === "string"
    ? isBlank(content)
      ? []
      : [{ type: "text", text: content }]
    : Array.isArray(content)
      ? content
      : []

const isEmpty = (turn: unknown): boolean => {
  const content = isObject(turn) ? turn["content"] : undefined
  return typeof content === "string" ? isBlank(content) : Array.isArray(content) && content.length === 0
}

const mendTurn = (turn: JsonObject): JsonObject => {
  const { content } = turn
  if (!Array.isArray(content) || !content.some(isWrong)) return turn
  return { ...turn, content: content.filter((block) => !isBlankBlock(block)).map(uncited) }
}

const isWrong = (block: unknown): boolean => isBlankBlock(block) || hasNoCitations(block)

const isBlankBlock = (block: unknown): boolean =>
  textAt(block, "type") === "text" && isBlank(textAt(block, "text") ?? "")

const hasNoCitations = (block: unknown): block is JsonObject => isObject(block) && block["citations"] === null

const uncited = (block: unknown): unknown => {
  if (!hasNoCitations(block)) return block
  const { citations: _, ...rest } = block
  return rest
}

/** The ids of calls, of which a later call with the same one gets another, as do its results. */
class CallIds {
  /** How often each id was a call's. */
  readonly #counts = new Map<string, number>()

  renamed(turn: JsonObject): JsonObject {
    const content = listAt(turn, "content")
    let isChanged = false
    const renamed = content.map((block) => {
      const key = keys[textAt(block, "type") ?? ""]
      const id = key === undefined ? undefined : textAt(block, key)
      if (key === undefined || id === undefined || !isObject(block)) return block
      const before = this.#counts.get(id) ?? 0
      const count = key === "id" ? before + 1 : before
      this.#counts.set(id, count)
      if (count < 2) return block
      isChanged = true
      return { ...block, [key]: `${id}_${count}` }
    })
    return isChanged ? { ...turn, content: renamed } : turn
  }
}

const keys: Readonly<Partial<Record<string, "id" | "tool_use_id">>> = { tool_use: "id", tool_result: "tool_use_id" }
