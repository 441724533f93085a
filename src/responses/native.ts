import { Schema } from "effect"
import { codedError } from "../contract/codedErrors.ts"
import { isJsonObject as isObject } from "../contract/fields.ts"
import type { JsonObject } from "../contract/fields.ts"
import type { Failure } from "../contract/Failure.ts"
import type { Incoming } from "../contract/handlers.ts"
import type { Frame, Machine, NativeFrame } from "../generation/Machine.ts"
import type { GenerationEvent } from "../generation/GenerationEvent.ts"
import { nativeMachine } from "../generation/native.ts"
import type { NativeState } from "../generation/native.ts"
import type { Native } from "../models/Models.ts"
import type { CreateResponse } from "./CreateResponse.ts"
import type { Replay } from "./decode.ts"
import { InputItem } from "./InputItem.ts"
import type { OutputItem, ResponseObject } from "./ResponseObject.ts"
import { isSealed, unseal } from "./seal.ts"
import { signedBy } from "../upstreams/protocols/signature.ts"

/** A request and its answer in the upstream's own words. */
export interface Passing {
  readonly native: Native
  /** The response as the upstream last told it, under the gateway's names. */
  readonly response: () => ResponseObject
  /** What of its output a later request may be told of. */
  readonly output: () => ReadonlyArray<OutputItem>
  readonly machine: Machine<PassingState, Frame | NativeFrame>
}

interface PassingState extends NativeState {
  /** The frames that went out last. */
  readonly last: string | Uint8Array
}

/**
 * Prepares a request to be passed through. The gateway keeps the conversation, so what a request refers to is put into
 * it.
 *
 * @param begun the response as it has begun: what the upstream says replaces what stands there
 */
export const passing = (payload: CreateResponse, replay: Replay, request: Incoming, begun: ResponseObject): Passing => {
  let response = begun
  const rewrite = (answer: JsonObject): JsonObject => {
    // The gateway's names, and its clock: it is the one who keeps the response.
    const { created_at, id, model, previous_response_id, store } = begun
    const told = { ...begun, ...answer, created_at, id, model, previous_response_id, store }
    response = told
    return told
  }
  const failed = (failure: Failure, last: string | Uint8Array): ReadonlyArray<Frame> => {
    const { code, message, param, type } = codedError(failure)
    const sequence_number = 1 + Number(lastNumber(typeof last === "string" ? last : utf8.decode(last)) ?? -1)
    response = { ...response, status: "failed", error: { code, message, param, type } }
    return [
      Object.assign(frame("error", sequence_number), { code, message, param, error: { type, code, message, param } }),
      Object.assign(frame("response.failed", sequence_number + 1), { response })
    ]
  }
  const { initial, step } = nativeMachine(() => [])
  return {
    native: {
      family: "responses",
      request: () => ({ body: whole(payload, replay, request), headers: request.headers, rewrite })
    },
    response: () => response,
    // Providers leave the status of some items out.
    output: () => response.output.filter(isReplayable).map((item) => ({ ...item, status: item.status ?? "completed" })),
    machine: {
      initial: { ...initial, last: "" },
      step: (state, event) => {
        if (event.type === "failed") return [state, failed(event.failure, state.last)]
        const [next, frames] = step(state, event)
        return [{ ...next, last: event.type === "native" ? writtenIn(event) : state.last }, frames]
      }
    }
  }
}

const frame = (type: string, sequence_number: number) => ({ type, sequence_number })

const writtenIn = (event: Extract<GenerationEvent, { readonly type: "native" }>) =>
  event.terminal ? event.text : event.bytes

const utf8 = new TextDecoder()

const lastNumber = (frames: string) => [...frames.matchAll(/"sequence_number":\s*(\d+)/g)].at(-1)?.[1]

/** Later requests may be answered by another dialect, which knows these kinds of items. */
const isReplayable: (item: unknown) => boolean = Schema.is(InputItem)

const whole = (payload: CreateResponse, replay: Replay, request: Incoming): JsonObject => {
  const body = isObject(request.body) ? request.body : payload
  return {
    ...body,
    input: inputOf(body["input"], payload, replay),
    ...(Array.isArray(body["tools"]) ? { tools: body["tools"].map(withFilters) } : {})
  }
}

/** As it came where it says everything itself; else what it refers to is put in, and the gateway's own wrappers go. */
const inputOf = (raw: unknown, { model }: CreateResponse, { history, input }: Replay): unknown => {
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
    if (!isObject(item) || item["type"] !== "reasoning") return [item]
    const encrypted = typeof item["encrypted_content"] === "string" ? item["encrypted_content"] : ""
    if (!isSealed(encrypted)) return encrypted === "" ? [] : [item]
    const { signature = "" } = unseal(model, encrypted) ?? {}
    const { id: _, status: _status, ...rest } = item
    return signedBy(signature) === "openai" ? [{ ...rest, encrypted_content: signature }] : []
  }

/** The specification spells it both ways. */
const withFilters = (tool: unknown) => {
  if (!isObject(tool) || !isObject(tool["filter"])) return tool
  const { filter, ...rest } = tool
  return { filters: filter, ...rest }
}
