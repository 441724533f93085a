import type { JsonObject } from "../../../contract/fields.ts"
import { isObject, listAt, objectAt, textAt } from "../../../contract/json/json.ts"
import type { CallSignatures } from "../../Upstream.ts"
import { anyId } from "../callIds.ts"
import type { Provider } from "./Provider.ts"
import { detailsOf } from "./reasoningDetails.ts"
import { signedCalls } from "./signedCalls.ts"
import { inOrder } from "./turns.ts"

/** A caller's own messages as the server accepts them. Those that need no change stay the same objects. */
export const passedMessages = (
  messages: ReadonlyArray<unknown>,
  provider: Provider,
  signatures: CallSignatures | undefined
): ReadonlyArray<unknown> => {
  const passed = oneResultEach(messages).map(passedMessage(provider, signatures))
  return provider.hasRules ? inOrder(passed, provider) : passed
}

/** Looks at what the message has: most have neither calls nor parts. */
const passedMessage =
  (provider: Provider, signatures: CallSignatures | undefined) =>
  (message: unknown): unknown => {
    if (!isObject(message)) return message
    const { content, role, tool_call_id: result, tool_calls: calls } = message
    // Most servers' chat templates only know `system`.
    const named = role === "developer" && provider.systemRole === "system" ? { ...message, role: "system" } : message
    const typed = Array.isArray(content) ? withImageTypes(named, content) : named
    if (typeof result !== "string" && !Array.isArray(calls)) {
      return provider.refusesInMessages.size > 0 ? withoutRefused(typed, provider) : typed
    }
    const whole = withSignatures(withReasoning(withIds(typed, provider), provider), provider, signatures)
    return withoutRefused(whole, provider)
  }

/** Without the fields that the server refuses. */
const withoutRefused = (message: JsonObject, { refusesInMessages }: Provider): JsonObject =>
  refusesInMessages.size === 0 || !Object.keys(message).some((name) => refusesInMessages.has(name))
    ? message
    : Object.fromEntries(Object.entries(message).filter(([name]) => !refusesInMessages.has(name)))

const roleOf = (message: unknown): unknown => (isObject(message) ? message["role"] : undefined)

/** The dialect has one result for a call: further ones join the first. */
const oneResultEach = (messages: ReadonlyArray<unknown>): ReadonlyArray<unknown> => {
  const groups: Array<Array<unknown>> = []
  const results = new Map<string, Array<unknown>>()
  for (const message of messages) {
    const role = roleOf(message)
    const id = role === "tool" ? textAt(message, "tool_call_id") : undefined
    // Ids may be used again in later turns.
    if (role === "assistant") results.clear()
    const others = id === undefined ? undefined : results.get(id)
    if (others !== undefined) {
      others.push(message)
      continue
    }
    const group = [message]
    groups.push(group)
    if (id !== undefined) results.set(id, group)
  }
  return groups.map(together)
}

const together = (group: ReadonlyArray<unknown>): unknown => {
  const [first] = group
  if (group.length === 1 || !isObject(first)) return first
  const contents = group.map((message) => (isObject(message) ? message["content"] : undefined))
  const isText = contents.every((content) => typeof content === "string")
  return { ...first, content: isText ? contents.join("\n\n") : contents.flatMap(partsOf) }
}

const partsOf = (content: unknown): ReadonlyArray<unknown> =>
  typeof content === "string" ? [{ type: "text", text: content }] : Array.isArray(content) ? content : []

/** Calls of another route's server may have ids that are not legal here. */
const withIds = (message: JsonObject, { callIds }: Provider): JsonObject => {
  if (callIds === anyId) return message
  const mapped = (value: JsonObject, key: string): JsonObject => {
    const id = textAt(value, key)
    return id === undefined || callIds(id) === id ? value : { ...value, [key]: callIds(id) }
  }
  const calls: unknown = message["tool_calls"]
  const result = mapped(message, "tool_call_id")
  return Array.isArray(calls)
    ? { ...result, tool_calls: calls.map((call: unknown) => (isObject(call) ? mapped(call, "id") : call)) }
    : result
}

/** A call's reasoning may come back under the name that another server gave it. */
const withReasoning = (message: JsonObject, { replayReasoning }: Provider): JsonObject => {
  if (listAt(message, "tool_calls").length === 0) return message
  const reasoning = textAt(message, "reasoning_content") || textAt(message, "reasoning")
  const missing = replayReasoning.filter((name) => !textAt(message, name))
  if (!reasoning || missing.length === 0) return message
  return { ...message, ...Object.fromEntries(missing.map((name) => [name, reasoning])) }
}

/** Most clients do not return unknown fields. */
const withSignatures = (
  message: JsonObject,
  { signsCalls }: Provider,
  signatures: CallSignatures = new Map()
): JsonObject => {
  if (signsCalls === undefined || !Array.isArray(message["tool_calls"])) return message
  const calls = message["tool_calls"].filter(isObject)
  if (signsCalls === "thought_signature") return { ...message, tool_calls: signedCalls(calls, signatures) }
  if (listAt(message, "reasoning_details").length > 0) return message
  const details = detailsOf(calls, signatures)
  return details === undefined ? message : { ...message, reasoning_details: details }
}

/** Several servers know JPEG by its registered name alone. */
const withImageTypes = (message: JsonObject, parts: ReadonlyArray<unknown>): JsonObject =>
  parts.some(isJpg) ? { ...message, content: parts.map((part) => (isJpg(part) ? jpeg(part) : part)) } : message

const jpgUrl = "data:image/jpg;"

const isJpg = (part: unknown): part is JsonObject =>
  isObject(part) && textAt(part["image_url"], "url")?.startsWith(jpgUrl) === true

const jpeg = (part: JsonObject): JsonObject => {
  const url = textAt(part["image_url"], "url") ?? ""
  return {
    ...part,
    image_url: { ...objectAt(part, "image_url"), url: `data:image/jpeg;${url.slice(jpgUrl.length)}` }
  }
}
