import { codedError } from "../contract/codedErrors.ts"
import { isJsonObject as isObject } from "../contract/fields.ts"
import type { JsonObject } from "../contract/fields.ts"
import { objectAt, parseJson } from "../contract/json.ts"
import type { Failure } from "../contract/Failure.ts"
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

/** A request and its answer in the upstream's own words. */
export interface ResponsesPassthrough {
  readonly passthrough: Passthrough["request"]
  /** The response as the upstream last told it, under the gateway's names. */
  readonly response: () => ResponseObject
  /** What of its output a later request may be told of. */
  readonly output: () => ReadonlyArray<OutputItem>
  readonly machine: Machine<PassingState, Frame | PassthroughFrame>
}

export interface PassingState extends PassthroughState {
  /** The frames that went out last. */
  readonly last: string | Uint8Array
  /** The frames of the items that have ended. */
  readonly items: GrowingList<string>
}

/**
 * Prepares a request to be passed through. The gateway keeps the conversation, so what a request refers to is put into
 * it.
 *
 * @param begun the response as it has begun: what the upstream says replaces what stands there
 */
export const passthroughOf = (
  payload: CreateResponse,
  replay: Replay,
  request: Incoming,
  begun: ResponseObject
): ResponsesPassthrough => {
  let response = begun
  const rewrite = (answer: JsonObject): JsonObject => {
    // The gateway's names, and its clock: it is the one who keeps the response.
    const { background, created_at, id, model, previous_response_id, store } = begun
    const told = { ...begun, ...answer, background, created_at, id, model, previous_response_id, store }
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
    // Providers leave the status of some items out.
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

/** A request's body with the conversation that it refers to, as an upstream of the dialect that keeps nothing may read it. */
export const wholeBody = (
  payload: Named,
  replay: Replay,
  request: Pick<Incoming, "body" | "connection">
): JsonObject => {
  const body = isObject(request.body) ? request.body : { ...payload }
  return {
    ...body,
    // The gateway's own business: an upstream that made it later would have to be asked for it.
    background: undefined,
    ...(request.connection !== undefined && { generate: undefined }),
    input: inputOf(body["input"], payload, replay),
    ...(Array.isArray(body["tools"]) ? { tools: body["tools"].map(withFilters) } : {})
  }
}

type Named = Pick<CreateResponse, "model">

/** As it came where it says everything itself; else what it refers to is put in, and the gateway's own wrappers go. */
const inputOf = (raw: unknown, { model }: Named, { history, input }: Replay): unknown => {
  if (!Array.isArray(raw)) return history.length === 0 ? raw : [...history, ...input].flatMap(forUpstream(model))
  const own = raw.map((item: unknown, index) =>
    isObject(item) && item["type"] === "item_reference" ? input[index] : item
  )
  return [...history, ...own].flatMap(forUpstream(model))
}

/** An upstream that stores nothing knows reasoning by its encrypted form alone, and only its own. */
const forUpstream =
  (model: string) =>
  (item: unknown): ReadonlyArray<unknown> => {
    if (!isObject(item)) return [item]
    if (item["type"] === "web_search_call" && "encrypted_content" in item) {
      // The gateway's own: the upstream knows the search by its id.
      const { encrypted_content: _, ...rest } = item
      return [rest]
    }
    const text = summaryOf(item)
    if (text !== undefined) return [{ type: "message", role: "user", content: [{ type: "input_text", text }] }]
    if (item["type"] !== "reasoning") return [item]
    const encrypted = typeof item["encrypted_content"] === "string" ? item["encrypted_content"] : ""
    if (encrypted !== "" && !isSealed(encrypted)) return [item]
    const { signature = nobodys } = unseal(model, encrypted) ?? {}
    const { id: _, status: _status, ...rest } = item
    return [{ ...rest, encrypted_content: signature }]
  }

/** What no upstream takes back, and is named for that. */
const nobodys = withOrigin({ by: "" }, "")

/** It is spelt both ways (docs/api.md#web-search-in-responses). */
const withFilters = (tool: unknown) => {
  if (!isObject(tool) || !isObject(tool["filter"])) return tool
  const { filter, ...rest } = tool
  return { filters: filter, ...rest }
}
