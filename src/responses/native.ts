import { Schema } from "effect"
import { codedError } from "../contract/codedErrors.ts"
import { JsonObject } from "../contract/fields.ts"
import type { Failure } from "../contract/Failure.ts"
import type { Incoming } from "../contract/handlers.ts"
import type { Frame, Machine, NativeFrame } from "../generation/Machine.ts"
import { nativeMachine } from "../generation/native.ts"
import type { NativeState } from "../generation/native.ts"
import type { Native } from "../models/Models.ts"
import type { CreateResponse } from "./CreateResponse.ts"
import type { Replay } from "./decode.ts"
import { InputItem } from "./InputItem.ts"
import type { OutputItem, ResponseObject } from "./ResponseObject.ts"
import { isSealed } from "./seal.ts"

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
  readonly last: string
}

/**
 * Prepares a request to be passed through. The gateway keeps the conversation, so what a request refers to is put into
 * it; undefined where the conversation holds reasoning that only the gateway can read.
 *
 * @param begun the response as it has begun: what the upstream says replaces what stands there
 */
export const passing = (
  payload: CreateResponse,
  replay: Replay,
  request: Incoming,
  begun: ResponseObject
): Passing | undefined => {
  if ([...replay.history, ...replay.input].some(isOurs)) return undefined
  let response = begun
  const rewrite = (answer: JsonObject): JsonObject => {
    // The gateway's names, and its clock: it is the one who keeps the response.
    const { created_at, id, model, previous_response_id, store } = begun
    const told = { ...begun, ...answer, created_at, id, model, previous_response_id, store }
    response = told
    return told
  }
  const failed = (failure: Failure, last: string): ReadonlyArray<Frame> => {
    const { code, message, param, type } = codedError(failure)
    const sequence_number = 1 + Number(lastNumber(last) ?? -1)
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
        return [{ ...next, last: event.type === "native" ? event.text : state.last }, frames]
      }
    }
  }
}

const frame = (type: string, sequence_number: number) => ({ type, sequence_number })

const lastNumber = (frames: string) => [...frames.matchAll(/"sequence_number":\s*(\d+)/g)].at(-1)?.[1]

const isOurs = (item: InputItem) => item.type === "reasoning" && isSealed(item.encrypted_content ?? "")

/** Later requests may be answered by another dialect, which knows these kinds of items. */
const isReplayable: (item: unknown) => boolean = Schema.is(InputItem)

const whole = (payload: CreateResponse, replay: Replay, request: Incoming): JsonObject => {
  const body = isObject(request.body) ? request.body : payload
  const refers = replay.history.length > 0 || (typeof payload.input !== "string" && payload.input.some(isReference))
  return {
    ...body,
    input: refers ? [...replay.history, ...replay.input].filter(isReadable) : body["input"],
    ...(Array.isArray(body["tools"]) ? { tools: body["tools"].map(withFilters) } : {})
  }
}

const isObject = Schema.is(JsonObject)

const isReference = (item: InputItem) => item.type === "item_reference"

/** An upstream that stores nothing knows reasoning by its encrypted form alone. */
const isReadable = (item: InputItem) => item.type !== "reasoning" || (item.encrypted_content ?? "") !== ""

/** The specification spells it both ways. */
const withFilters = (tool: unknown) => {
  if (!isObject(tool) || !isObject(tool["filter"])) return tool
  const { filter, ...rest } = tool
  return { filters: filter, ...rest }
}
