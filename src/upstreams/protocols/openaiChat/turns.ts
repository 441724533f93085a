import type { JsonObject } from "../../../contract/fields.ts"
import { isObject, listAt, textAt } from "../../../contract/json/json.ts"
import { markedSystem } from "../documents.ts"
import type { Provider } from "./Provider.ts"

/** Messages in the order that the server's model takes, translated or a caller's own. */
export const inOrder = (messages: ReadonlyArray<unknown>, provider: Provider): ReadonlyArray<unknown> => {
  const { alternates, strictTurns, systemFirst, userAfterTool } = provider
  if (!alternates && !strictTurns && !systemFirst && userAfterTool) return messages
  const fronted = systemFirst ? inFront(messages) : messages
  const kept = strictTurns ? marked(fronted.filter((message) => !isEmptyTurn(message))) : fronted
  const apart = userAfterTool ? kept : separated(kept)
  return alternates ? joined(apart) : apart
}

/** A turn of the assistant between a tool's result and the user's message or the system's; an empty one would be none. */
const separated = (messages: ReadonlyArray<unknown>): ReadonlyArray<unknown> =>
  messages.flatMap((message, index) =>
    isAsking(message) && roleOf(messages[index - 1]) === "tool"
      ? [{ role: "assistant", content: "OK." }, message]
      : [message]
  )

const isAsking = (message: unknown): boolean => /^(?:user|system|developer)$/.test(roleOf(message) ?? "")

const roleOf = (message: unknown): string | undefined => textAt(message, "role")

/** One system message in front of all others; system text behind these as the user's. */
const inFront = (messages: ReadonlyArray<unknown>): ReadonlyArray<unknown> => {
  const first = messages.findIndex((message) => roleOf(message) !== "system")
  const systems = messages.slice(0, first === -1 ? messages.length : first).filter(isObject)
  const others = messages.slice(systems.length)
  const rest = others.some((message) => roleOf(message) === "system") ? others.map(systemAsUser) : others
  if (systems.length < 2) return rest === others ? messages : [...systems, ...rest]
  return [systems.reduce((one, other) => ({ ...one, content: contentsOf(one, other) })), ...rest]
}

const systemAsUser = (message: unknown): unknown => {
  if (!isObject(message) || roleOf(message) !== "system") return message
  const { content } = message
  const marked = (part: unknown): unknown =>
    isObject(part) && typeof part["text"] === "string" ? { ...part, text: markedSystem(part["text"]) } : part
  return { role: "user", content: typeof content === "string" ? markedSystem(content) : partsOf(content).map(marked) }
}

const isEmptyTurn = (message: unknown): boolean =>
  isObject(message) &&
  roleOf(message) === "assistant" &&
  (message["content"] ?? "") === "" &&
  listAt(message, "tool_calls").length === 0

/** The last turn as one that is begun, if it is the assistant's. */
const marked = (messages: ReadonlyArray<unknown>): ReadonlyArray<unknown> => {
  const last = messages.at(-1)
  return isObject(last) && roleOf(last) === "assistant"
    ? [...messages.slice(0, -1), { ...last, prefix: true }]
    : messages
}

/** Turns of the same role in a row as one. */
const joined = (messages: ReadonlyArray<unknown>): ReadonlyArray<unknown> => {
  const all: Array<unknown> = []
  for (const message of messages) {
    const before = all.at(-1)
    const both = isObject(before) && isObject(message) ? together(before, message) : undefined
    if (both === undefined) all.push(message)
    else all[all.length - 1] = both
  }
  return all
}

const together = (one: JsonObject, other: JsonObject): JsonObject | undefined => {
  const role = roleOf(one)
  if (role !== roleOf(other) || role === "tool" || role === "system") return undefined
  const [calls, content] = [[...listAt(one, "tool_calls"), ...listAt(other, "tool_calls")], contentsOf(one, other)]
  return { ...one, ...other, content, ...(calls.length > 0 && { tool_calls: calls }) }
}

const contentsOf = ({ content: one }: JsonObject, { content: other }: JsonObject): unknown =>
  typeof one === "string" && typeof other === "string"
    ? [one, other].filter((text) => text !== "").join("\n\n")
    : [...partsOf(one), ...partsOf(other)]

const partsOf = (content: unknown): ReadonlyArray<unknown> =>
  typeof content === "string" ? [{ type: "text", text: content }] : Array.isArray(content) ? content : []
