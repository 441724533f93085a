import type { JsonObject } from "../../../contract/fields.ts"
import { isObject, listAt, objectAt, textAt } from "../../../contract/json.ts"
import type { ChunkDialect } from "../../passthrough/Dialect.ts"
import { anyId } from "../callIds.ts"
import { asStream, asWhole } from "./asStream.ts"
import type { CallSignatures } from "../../Upstream.ts"
import type { Provider } from "./compatible.ts"
import { signedCalls, signedIn } from "./signedCalls.ts"

/** Chat completions to an upstream of the dialect. */
export const chatDialect = (provider: Provider): ChunkDialect => ({
  family: "chat",
  headers: [],
  searches: provider.webSearch,
  isLast: () => false,
  asWhole,
  asStream,
  signed: (chunk) => (provider.signsCalls ? signedIn(chunk) : []),
  body: (body, { callSignatures, upstreamModel, stream }) => ({
    ...body,
    model: upstreamModel,
    stream,
    messages: listAt(body, "messages")
      .map(withRole(provider))
      .map(withIds(provider))
      .map(withSignatures(provider, callSignatures)),
    // Usage is always requested; `chunks.ts` decides whether the caller sees it.
    stream_options:
      stream && provider.streamUsage
        ? { ...objectAt(body, "stream_options"), include_usage: true }
        : stream
          ? body["stream_options"]
          : undefined
  }),
  usage: (usage) => {
    const prompt_tokens = usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens
    return {
      prompt_tokens,
      completion_tokens: usage.outputTokens,
      total_tokens: prompt_tokens + usage.outputTokens,
      prompt_tokens_details: { cached_tokens: usage.cacheReadTokens },
      completion_tokens_details: { reasoning_tokens: usage.reasoningTokens }
    }
  }
})

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

/** Most clients do not return unknown fields. */
const withSignatures =
  ({ signsCalls }: Provider, signatures: CallSignatures = new Map()) =>
  (message: unknown): unknown => {
    const calls: unknown = isObject(message) ? message["tool_calls"] : undefined
    return signsCalls && isObject(message) && Array.isArray(calls)
      ? { ...message, tool_calls: signedCalls(calls.filter(isObject), signatures) }
      : message
  }

const isDeveloper = (message: unknown): message is JsonObject => isObject(message) && message["role"] === "developer"
