import type { JsonObject } from "../../../contract/fields.ts"
import { isObject, objectAt, textAt } from "../../../contract/json/json.ts"

/** The most marks that a request may have. */
const mostMarks = 4

/**
 * A request with at most four cache marks, of which none of an hour comes behind one of five minutes. Of more, the
 * earliest go: a later mark covers all that stands before it.
 */
export const mendMarks = (body: JsonObject, lost: (name: string) => void): JsonObject => {
  const top = objectAt(body, "cache_control")
  const ttls = [body["tools"], body["system"], body["messages"]].flatMap(ttlsIn)
  // The one of the whole prompt stands for a mark at its end.
  if (top !== undefined) ttls.push(textAt(top, "ttl"))
  const excess = Math.max(0, ttls.length - mostMarks)
  const shortAt = ttls.findIndex((ttl, at) => at >= excess && ttl !== "1h")
  const isLate = shortAt !== -1 && ttls.some((ttl, at) => at > shortAt && ttl === "1h")
  if (excess === 0 && !isLate) return body
  if (excess > 0) lost("cache_control")
  if (isLate) lost("cache_control.ttl")
  const isTopLate = isLate && textAt(top, "ttl") === "1h"
  let at = -1
  return walk(isTopLate ? { ...body, cache_control: { type: textAt(top, "type") } } : body, (block) => {
    at++
    const { cache_control: mark, ...rest } = block
    if (at < excess) return rest
    return isLate && at > shortAt && isObject(mark) ? { ...rest, cache_control: { type: mark["type"] } } : block
  })
}

/** The lifetimes of a list's marks, in the order of a prompt. Most requests need no change: nothing is copied for this. */
const ttlsIn = (blocks: unknown): Array<string | undefined> =>
  Array.isArray(blocks)
    ? blocks.flatMap((block: unknown) => {
        const mark = objectAt(block, "cache_control")
        const inner = isObject(block) ? ttlsIn(block["content"]) : []
        return mark === undefined ? inner : [...inner, textAt(mark, "ttl")]
      })
    : []

/** Changes each block with a mark, in the order of a prompt. */
const walk = (body: JsonObject, change: (block: JsonObject) => JsonObject): JsonObject => {
  const within = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(within)
    if (!isObject(value)) return value
    const { content } = value
    const inner = Array.isArray(content) ? { ...value, content: within(content) } : value
    return objectAt(inner, "cache_control") === undefined ? inner : change(inner)
  }
  const { messages, system, tools } = body
  return {
    ...body,
    ...(Array.isArray(tools) && { tools: within(tools) }),
    ...(Array.isArray(system) && { system: within(system) }),
    ...(Array.isArray(messages) && { messages: within(messages) })
  }
}
