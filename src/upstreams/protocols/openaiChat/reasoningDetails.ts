import type { JsonObject } from "../../../contract/fields.ts"
import { isObject, listAt, objectAt, parseJson, textAt } from "../../../contract/json/json.ts"
import { appendText } from "../../../generation/appendText.ts"
import type { GenerationEvent } from "../../../generation/GenerationEvent.ts"
import type { CallSignatures } from "../../Upstream.ts"

/**
 * OpenRouter's `reasoning_details` of one answer: readable, summarized and encrypted reasoning with its signatures. They
 * must come back unchanged with the answer's tool calls.
 */
export class ReasoningDetails {
  readonly #details: Array<unknown> = []

  /** Reads a message or a piece of one. */
  read(delta: unknown): void {
    for (const detail of listAt(delta, "reasoning_details")) addDetail(this.#details, detail)
  }

  /** The details as the signature of the answer's first call. */
  signed(callId: string | undefined): ReadonlyArray<GenerationEvent> {
    if (callId === undefined || this.#details.length === 0) return []
    return [{ type: "tool-call-signed", callId, signature: JSON.stringify(this.#details) }]
  }
}

/** The same of a stream that passes through. */
export class PassedDetails {
  readonly #details = new ReasoningDetails()
  #callId: string | undefined

  read(chunk: JsonObject): ReadonlyArray<GenerationEvent> {
    const delta = objectAt(listAt(chunk, "choices")[0], "delta")
    this.#details.read(delta)
    this.#callId ??= textAt(listAt(delta, "tool_calls")[0], "id") || undefined
    return []
  }

  end(): ReadonlyArray<GenerationEvent> {
    return this.#details.signed(this.#callId)
  }
}

/** Adds a detail to a list, or a piece of one to the last. */
export const addDetail = (details: Array<unknown>, piece: unknown): void => {
  if (!isObject(piece)) return
  const last = details.at(-1)
  if (isObject(last) && continues(last, piece)) details.splice(-1, 1, joined(last, piece))
  else details.push(piece)
}

const joined = (detail: JsonObject, piece: JsonObject): JsonObject => {
  const whole: Record<string, unknown> = { ...detail }
  for (const name in piece) {
    const value = piece[name] ?? undefined
    const before = detail[name]
    const isPiece = name === "text" || name === "summary"
    if (isPiece && typeof value === "string" && typeof before === "string") whole[name] = appendText(before, value)
    else if (value !== undefined) whole[name] = value
  }
  return whole
}

/** Pieces of one detail share their type and index, and end with its signature. Encrypted ones come whole. */
const continues = (last: JsonObject, piece: JsonObject): boolean =>
  last["type"] === piece["type"] &&
  last["index"] === piece["index"] &&
  piece["type"] !== "reasoning.encrypted" &&
  (isAbsent(last["id"]) || isAbsent(piece["id"]) || last["id"] === piece["id"]) &&
  (isAbsent(last["signature"]) || isAbsent(piece["text"]))

const isAbsent = (value: unknown): boolean => value === undefined || value === null || value === ""

/** The details of the answer that these calls were part of; undefined if there are none. */
export const detailsOf = (
  calls: ReadonlyArray<unknown>,
  signatures: CallSignatures
): ReadonlyArray<unknown> | undefined => {
  for (const call of calls) {
    const details = parseJson(signatures.get(textAt(call, "id") ?? "") ?? "")
    if (Array.isArray(details)) return details
  }
  return undefined
}
