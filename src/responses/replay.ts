import { InvalidRequest, RateLimited, UpstreamFailed } from "../contract/failures/Failure.ts"
import type { Failure } from "../contract/failures/Failure.ts"
import type { GenerationEvent, Usage } from "../generation/GenerationEvent.ts"
import { machine } from "./encode.ts"
import { madeImage } from "./madeImage.ts"
import { mcpEvents } from "./mcp/mcpEvents.ts"
import type { Encoding, Include, ResponseFrame } from "./encoding.ts"
import type { OutputItem, OutputPart, ResponseObject } from "./ResponseObject.ts"
import { unseal, unsealSearch } from "./seal.ts"
import type { StoredResponse } from "./store/ResponseStore.ts"
import { callArguments } from "./clientTools/readItem.ts"
import { clientTools } from "./clientTools/clientTools.ts"
import type { ClientTools } from "./clientTools/clientTools.ts"
import type { ClientCall } from "./clientTools/ClientTool.ts"
import { flatName } from "./tools.ts"

/** The frames of a stored response's stream, with every text in one piece. */
export const framesOf = ({ output, response }: StoredResponse, include: Include): ReadonlyArray<ResponseFrame> => {
  const { initial, step } = machine(encodingOf(response, output, include))
  let state = initial
  return [...output.flatMap((item, index) => eventsOf(item, index, response.model)), ...endOf(response)].flatMap(
    (event) => {
      const [next, frames] = step(state, event)
      state = next
      return frames
    }
  )
}

const encodingOf = (response: ResponseObject, output: ReadonlyArray<OutputItem>, include: Include): Encoding => ({
  response: {
    ...response,
    status: "in_progress",
    completed_at: null,
    error: null,
    incomplete_details: null,
    output: [],
    usage: null
  },
  itemId: (prefix, index) => output[index]?.id ?? prefix,
  now: () => response.completed_at ?? response.created_at,
  include,
  namespaced: new Map(
    output.flatMap((item) =>
      "namespace" in item && item.namespace !== undefined
        ? [[flatName(item.name, item.namespace), { namespace: item.namespace, name: item.name }] as const]
        : []
    )
  ),
  clientTools: byCall
})

/** Not a possible name of a function. */
const nameOf = (call: ClientCall) => `(${call})`
const byCall: ClientTools = new Map(clientTools.map((tool) => [nameOf(tool.call), tool]))

/** The events that produce an item. An unfinished item stays open. */
const eventsOf = (item: OutputItem, index: number, model: string): ReadonlyArray<GenerationEvent> => {
  const isWhole = item.status !== "incomplete"
  const end = (...events: ReadonlyArray<GenerationEvent>) => (isWhole ? events : [])
  switch (item.type) {
    case "message":
      return [...item.content.flatMap(written), ...end({ type: "text-end" })]
    case "reasoning": {
      const known = item.encrypted_content === undefined ? undefined : unseal(model, item.encrypted_content)
      if (known?.redacted !== undefined) return [{ type: "redacted-reasoning", data: known.redacted }]
      return [
        { type: "reasoning-start" },
        ...item.summary.map(({ text }) => ({ type: "reasoning-delta", text }) as const),
        ...end({ type: "reasoning-end", signature: known?.signature })
      ]
    }
    case "function_call":
    case "custom_tool_call": {
      const { call_id: callId, name, namespace } = item
      const [kind, text] =
        item.type === "custom_tool_call" ? (["custom", item.input] as const) : (["function", item.arguments] as const)
      return [
        { type: "tool-call-start", callId, name: flatName(name, namespace), kind },
        { type: "tool-call-delta", callId, text },
        ...end({ type: "tool-call-end", callId })
      ]
    }
    case "tool_search_call":
    case "shell_call":
    case "local_shell_call":
    case "apply_patch_call":
    case "computer_call": {
      const { call_id: callId } = item
      return [
        { type: "tool-call-start", callId, name: nameOf(item.type), kind: "function" },
        { type: "tool-call-delta", callId, text: JSON.stringify(callArguments(item)) },
        ...end({ type: "tool-call-end", callId })
      ]
    }
    case "web_search_call": {
      const known = unsealSearch(item.encrypted_content ?? "")
      const id = known?.id ?? String(index)
      const told = known?.outcome?.type === "results" ? known.outcome.results : undefined
      const results = (item.action.sources ?? []).map(({ url }) => ({ url, title: "", text: "", pageAge: null }))
      return [
        { type: "search-start", id, query: item.action.query },
        ...end({
          type: "search-end",
          id,
          outcome:
            item.status === "failed"
              ? { type: "error", code: "unavailable" }
              : { type: "results", results: told ?? results }
        })
      ]
    }
    case "image_generation_call": {
      const source = madeImage(item)?.source
      return source?.type === "base64" ? [{ type: "image", mediaType: source.mediaType, data: source.data }] : []
    }
    case "mcp_list_tools":
    case "mcp_call":
    case "mcp_approval_request":
      return mcpEvents(item)
    // An item of a tool that OpenAI ran. Its original frames are not stored.
    default:
      return []
  }
}

const written = (part: OutputPart): ReadonlyArray<GenerationEvent> =>
  part.type === "refusal"
    ? [{ type: "refusal-delta", text: part.refusal }]
    : [
        { type: "text-start" },
        { type: "text-delta", text: part.text },
        ...part.annotations.map(
          ({ end_index: end, start_index: start, title, url }) =>
            ({ type: "citation", citation: { url, title, citedText: "", start, end } }) as const
        )
      ]

const endOf = ({ error, incomplete_details: incomplete, usage }: ResponseObject): ReadonlyArray<GenerationEvent> => {
  if (error !== null) return [{ type: "failed", failure: failureOf(error) }]
  const reason = incomplete === null ? "stop" : incomplete.reason === "content_filter" ? "refusal" : "max-tokens"
  return [
    ...(usage === null ? [] : [{ type: "usage", usage: usageOf(usage) } as const]),
    { type: "finished", reason, stopSequence: null }
  ]
}

const usageOf = (usage: NonNullable<ResponseObject["usage"]>): Usage => ({
  inputTokens:
    usage.input_tokens -
    usage.input_tokens_details.cached_tokens -
    (usage.input_tokens_details.cache_write_tokens ?? 0),
  cacheReadTokens: usage.input_tokens_details.cached_tokens,
  cacheWriteTokens: usage.input_tokens_details.cache_write_tokens ?? 0,
  outputTokens: usage.output_tokens,
  reasoningTokens: usage.output_tokens_details.reasoning_tokens,
  searches: 0
})

/** The failure that a stored error came from. */
const failureOf = ({ code, message, param, type }: NonNullable<ResponseObject["error"]>): Failure => {
  switch (type) {
    case "rate_limit_error":
      return new RateLimited({ message, retryAfterSeconds: null })
    case "invalid_request_error":
      return new InvalidRequest({ message, param, upstreamCode: code })
    default:
      return new UpstreamFailed({ message })
  }
}
