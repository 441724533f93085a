import type { JsonObject } from "../../../contract/fields.ts"
import { isObject, listAt, objectAt, textAt } from "../../../contract/json.ts"
import type { CallSignatures } from "../../Upstream.ts"
import { anyId } from "../callIds.ts"
import type { Provider } from "./compatible.ts"
import { acknowledged } from "./messages.ts"
import { detailsOf } from "./reasoningDetails.ts"
import { signedCalls } from "./signedCalls.ts"

/** A caller's own messages as the server accepts them. Those that need no change stay the same objects. */
export const passedMessages = (
  messages: ReadonlyArray<unknown>,
  provider: Provider,
  signatures: CallSignatures | undefined
): ReadonlyArray<unknown> =>
  separated(oneResultEach(messages), provider)
    .map(withRole(provider))
    .map(withIds(provider))
    .map(withReasoning(provider))
    .map(withSignatures(provider, signatures))
    .map(withImageTypes)

const roleOf = (message: unknown) => textAt(message, "role")

/** Some servers refuse a user message directly after a tool's result. */
const separated = (messages: ReadonlyArray<unknown>, { userAfterTool }: Provider): ReadonlyArray<unknown> =>
  userAfterTool
    ? messages
    : messages.flatMap((message, index) =>
        roleOf(message) === "user" && roleOf(messages[index - 1]) === "tool" ? [acknowledged, message] : [message]
      )

/** The dialect has one result for a call: further ones join the first. */
const oneResultEach = (messages: ReadonlyArray<unknown>): ReadonlyArray<unknown> => {
  const groups: Array<Array<unknown>> = []
  const results = new Map<string, Array<unknown>>()
  for (const message of messages) {
    const id = roleOf(message) === "tool" ? textAt(message, "tool_call_id") : undefined
    // Ids may be used again in later turns.
    if (roleOf(message) === "assistant") results.clear()
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

/** Most servers' chat templates only know `system`. */
const withRole =
  ({ systemRole }: Provider) =>
  (message: unknown): unknown =>
    systemRole === "system" && isDeveloper(message) ? { ...message, role: "system" } : message

/** Calls of another route's server may have ids that are not legal here. */
const withIds =
  ({ callIds }: Provider) =>
  (message: unknown): unknown => {
    if (callIds === anyId || !isObject(message)) return message
    const mapped = (value: unknown, key: string): unknown => {
      const id = textAt(value, key)
      return id === undefined || !isObject(value) || callIds(id) === id ? value : { ...value, [key]: callIds(id) }
    }
    const calls: unknown = message["tool_calls"]
    const result = mapped(message, "tool_call_id")
    return isObject(result) && Array.isArray(calls)
      ? { ...result, tool_calls: calls.map((call) => mapped(call, "id")) }
      : result
  }

/** A call's reasoning may come back under the name that another server gave it. */
const withReasoning =
  ({ replayReasoning }: Provider) =>
  (message: unknown): unknown => {
    if (!isObject(message) || listAt(message, "tool_calls").length === 0) return message
    const reasoning = textAt(message, "reasoning_content") || textAt(message, "reasoning")
    const missing = replayReasoning.filter((name) => !textAt(message, name))
    if (!reasoning || missing.length === 0) return message
    return { ...message, ...Object.fromEntries(missing.map((name) => [name, reasoning])) }
  }

/** Most clients do not return unknown fields. */
const withSignatures =
  ({ signsCalls }: Provider, signatures: CallSignatures = new Map()) =>
  (message: unknown): unknown => {
    if (signsCalls === undefined || !isObject(message) || !Array.isArray(message["tool_calls"])) return message
    const calls = message["tool_calls"].filter(isObject)
    if (signsCalls === "thought_signature") return { ...message, tool_calls: signedCalls(calls, signatures) }
    if (listAt(message, "reasoning_details").length > 0) return message
    const details = detailsOf(calls, signatures)
    return details === undefined ? message : { ...message, reasoning_details: details }
  }

/** Several servers know JPEG by its registered name alone. */
const withImageTypes = (message: unknown): unknown => {
  const parts: unknown = isObject(message) ? message["content"] : undefined
  if (!isObject(message) || !Array.isArray(parts) || !parts.some(isJpg)) return message
  return { ...message, content: parts.map((part: unknown) => (isJpg(part) ? jpeg(part) : part)) }
}

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

const isDeveloper = (message: unknown): message is JsonObject => isObject(message) && message["role"] === "developer"
