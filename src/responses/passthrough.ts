import { codedError } from "../contract/failures/codedErrors.ts"
import { withoutEntrusted } from "../contract/callers/entrusted.ts"
import { isJsonObject as isObject } from "../contract/fields.ts"
import type { JsonObject } from "../contract/fields.ts"
import { objectAt, parseJson } from "../contract/json/json.ts"
import type { Failure } from "../contract/failures/Failure.ts"
import type { Incoming } from "../contract/handlers.ts"
import type { Frame, Machine, PassthroughFrame } from "../generation/Machine.ts"
import { GrowingList } from "../generation/GrowingList.ts"
import type { GenerationEvent } from "../generation/GenerationEvent.ts"
import { passthroughMachine } from "../pipeline/passthrough.ts"
import type { PassthroughState } from "../pipeline/passthrough.ts"
import type { Passthrough } from "../dispatch/GenerationOptions.ts"
import { summaryOf } from "./compact/summary.ts"
import type { CreateResponse } from "./CreateResponse.ts"
import type { Replay } from "./decode.ts"
import { isReplayable } from "./InputItem.ts"
import type { OutputItem, ResponseObject } from "./ResponseObject.ts"
import { isSealed, unseal } from "./seal.ts"
import { withOrigin } from "../generation/origin.ts"

/** A passthrough request, and the state of its answer. */
export interface ResponsesPassthrough {
  readonly passthrough: Passthrough["request"]
  /** The response as the upstream last sent it, with the gateway's names. */
  readonly response: () => ResponseObject
  /** The output that later requests may refer to. */
  readonly output: () => ReadonlyArray<OutputItem>
  readonly machine: Machine<PassingState, Frame | PassthroughFrame>
}

export interface PassingState extends PassthroughState {
  /** The last frames sent. */
  readonly last: string | Uint8Array
  /** The frames of finished items. */
  readonly items: GrowingList<string>
}

/**
 * Prepares a request for passthrough. The gateway stores conversations, so it inserts what the request refers to.
 *
 * @param begun the response at its beginning; the upstream's fields replace its own
 */
export const passthroughOf = (
  payload: CreateResponse,
  replay: Replay,
  request: Incoming,
  begun: ResponseObject
): ResponsesPassthrough => {
  let response = begun
  const rewrite = (answer: JsonObject): JsonObject => {
    // The gateway stores the response, so id, time and settings are its own.
    const { background, created_at, id, model, previous_response_id, store } = begun
    const { tools } = answer
    const { conversation } = begun
    const told = { ...begun, ...answer, background, created_at, id, model, previous_response_id, store }
    // Some servers repeat the secrets of tools.
    if (Array.isArray(tools)) Object.assign(told, { tools: withoutEntrusted(tools) })
    if (conversation !== undefined) Object.assign(told, { conversation })
    response = told
    return told
  }
  const failed = (failure: Failure, { items, last }: PassingState): ReadonlyArray<Frame> => {
    const { code, message, param, type } = codedError(failure)
    const sequence_number = 1 + Number(lastNumber(typeof last === "string" ? last : utf8.decode(last)) ?? -1)
    const output = items.toArray().flatMap((item) => objectAt(parseJson(item), "item") ?? [])
    rewrite({ ...response, status: "failed", error: { code, message, param, type }, output })
    return [
      Object.assign(frame("error", sequence_number), { code, message, param, error: { type, code, message, param } }),
      Object.assign(frame("response.failed", sequence_number + 1), { response })
    ]
  }
  const { initial, step } = passthroughMachine(() => [])
  return {
    passthrough: () => ({
      body: wholeBody(payload, replay, request),
      bodyText: request.bodyText,
      headers: request.headers,
      rewrite
    }),
    response: () => response,
    // Providers omit the status of some items.
    output: () => response.output.filter(isReplayable).map((item) => ({ ...item, status: item.status ?? "completed" })),
    machine: {
      initial: { ...initial, last: "", items: GrowingList.empty() },
      step: (state, event) => {
        if (event.type === "failed") return [state, failed(event.failure, state)]
        const [next, frames] = step(state, event)
        if (event.type !== "passthrough") return [{ ...next, last: state.last, items: state.items }, frames]
        const items = event.terminal || event.item === undefined ? state.items : state.items.with(event.item)
        return [{ ...next, last: writtenIn(event), items }, frames]
      }
    }
  }
}

const frame = (type: string, sequence_number: number) => ({ type, sequence_number })

const writtenIn = (event: Extract<GenerationEvent, { readonly type: "passthrough" }>) =>
  event.terminal ? event.text : event.bytes

const utf8 = new TextDecoder()

const lastNumber = (frames: string) => [...frames.matchAll(/"sequence_number":\s*(\d+)/g)].at(-1)?.[1]

/** A request's body with the conversation that it refers to, for an upstream that stores nothing. */
export const wholeBody = (
  payload: Named,
  replay: Replay,
  request: Pick<Incoming, "body" | "connection">
): JsonObject => {
  const body = isObject(request.body) ? request.body : { ...payload }
  return {
    ...body,
    // The gateway runs background responses itself.
    background: undefined,
    ...(request.connection !== undefined && { generate: undefined }),
    input: inputOf(body["input"], payload, replay),
    ...(Array.isArray(body["tools"]) ? { tools: body["tools"].map(withFilters) } : {})
  }
}

type Named = Pick<CreateResponse, "model">

/**
 * The input as it came if it refers to nothing. Otherwise references are replaced and the gateway's wrappers removed.
 */
const inputOf = (raw: unknown, { model }: Named, { history, input }: Replay): unknown => {
  if (!Array.isArray(raw))
    return history.length === 0 ? raw : [...history.filter(isSaid), ...input].flatMap(forUpstream(model))
  const own = raw.map((item: unknown, index) =>
    isObject(item) && item["type"] === "item_reference" ? input[index] : item
  )
  return [...history.filter(isSaid), ...own].flatMap(forUpstream(model))
}

/** A trigger of an earlier request has been answered. */
const isSaid = ({ type }: Replay["history"][number]): boolean => type !== "compaction_trigger"

/** An upstream that stores nothing only knows reasoning by its encrypted form. */
const forUpstream =
  (model: string) =>
  (item: unknown): ReadonlyArray<unknown> => {
    if (!isObject(item)) return [item]
    if (item["type"] === "web_search_call" && "encrypted_content" in item) {
      // The gateway's addition. The upstream knows the search by its id.
      const { encrypted_content: _, ...rest } = item
      return [rest]
    }
    const text = summaryOf(item)
    if (text !== undefined) return [{ type: "message", role: "user", content: [{ type: "input_text", text }] }]
    if (item["type"] !== "reasoning") return [item]
    const encrypted = typeof item["encrypted_content"] === "string" ? item["encrypted_content"] : ""
    if (encrypted !== "" && !isSealed(encrypted)) return [item]
    const { signature = foreign } = unseal(model, encrypted) ?? {}
    const { id: _, status: _status, ...rest } = item
    return [{ ...rest, encrypted_content: signature }]
  }

/** Encrypted reasoning that no upstream accepts, so it is dropped and reported. */
const foreign = withOrigin({ by: "" }, "")

/** Two names of the same field (docs/api.md#web-search-in-responses). */
const withFilters = (tool: unknown) => {
  if (!isObject(tool) || !isObject(tool["filter"])) return tool
  const { filter, ...rest } = tool
  return { filters: filter, ...rest }
}
