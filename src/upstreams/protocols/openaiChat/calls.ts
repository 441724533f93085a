import type { JsonObject } from "../../../contract/fields.ts"
import type { GenerationEvent } from "../../../generation/GenerationEvent.ts"
import { appendText } from "../../../generation/appendText.ts"
import type { Back } from "../back.ts"
import { isCut, unwrapCustom } from "../back.ts"
import { freshId } from "../callIds.ts"
import { signatureOf } from "./signedCalls.ts"
import { isObject, numberAt, objectAt, parseJson, textAt } from "../../../contract/json.ts"

/** The tool calls of an answer, in the order they began. */
export type Calls = ReadonlyArray<Call>

interface Call {
  readonly index: number | undefined
  /** The upstream's id; undefined where it gave none. */
  readonly upstreamId: string | undefined
  /** The id the caller sees: the upstream's unless that is missing or taken. */
  readonly id: string
  /** The upstream's name; empty until it is known, and the call is not told before. */
  readonly name: string
  readonly arguments: string
}

export const noCalls: Calls = []

/**
 * One entry of `tool_calls`. Servers differ in how they tell calls apart: by index, by id with the index always 0, by
 * neither where each call comes whole. Ids may be empty or repeated on every piece.
 */
export const stepCall = (
  calls: Calls,
  entry: JsonObject,
  { back, answerId }: { readonly back: Back; readonly answerId: string },
  events: Array<GenerationEvent>
): Calls => {
  const fn = objectAt(entry, "function")
  const piece = {
    index: numberAt(entry, "index"),
    id: textAt(entry, "id") || undefined,
    name: textAt(fn, "name") || undefined,
    text: argumentText(fn?.["arguments"])
  }
  const at = find(calls, piece)
  const known = calls[at]
  const call: Call = known ?? {
    index: piece.index,
    upstreamId: piece.id,
    id: freshId(
      calls.map(({ id }) => id),
      piece.id ?? "",
      answerId
    ),
    name: "",
    arguments: ""
  }
  const name = call.name === "" ? (piece.name ?? "") : call.name
  const next: Call = {
    ...call,
    upstreamId: call.upstreamId ?? piece.id,
    name,
    arguments: appendText(call.arguments, piece.text)
  }
  tell(call, next, back, events)
  const signature = signatureOf(entry)
  if (signature !== undefined) events.push({ type: "tool-call-signed", callId: next.id, signature })
  return known === undefined ? [...calls, next] : calls.with(at, next)
}

/**
 * Ends every call that is whole. A server may interleave them, so none is over before the answer is.
 *
 * @param isCutOff whether the answer is cut, and with it a call that has no arguments yet
 */
export const endCalls = (calls: Calls, back: Back, isCutOff: boolean): ReadonlyArray<GenerationEvent> =>
  calls.flatMap((call): ReadonlyArray<GenerationEvent> => {
    if (call.name === "") return []
    if (isCutOff && call.arguments === "") return []
    const rest = remainder(call, back)
    return [
      ...(rest === "" ? [] : [{ type: "tool-call-delta", callId: call.id, text: rest } as const]),
      // The generation's end ends what was cut.
      ...(isCut(call.arguments) ? [] : [{ type: "tool-call-end", callId: call.id } as const])
    ]
  })

/** Whether arguments of a call are no JSON: they were cut. */
export const hasCutCall = (calls: Calls): boolean => calls.some((call) => call.name !== "" && isCut(call.arguments))

interface Piece {
  readonly index: number | undefined
  readonly id: string | undefined
  readonly name: string | undefined
}

/** Where the call is that a piece goes on with; -1 where it begins a new one. */
const find = (calls: Calls, piece: Piece): number => {
  const at =
    piece.index === undefined
      ? piece.id === undefined
        ? calls.length - 1
        : calls.findLastIndex((call) => call.upstreamId === piece.id)
      : calls.findLastIndex((call) => call.index === piece.index)
  const call = calls[at]
  if (call === undefined) return -1
  if (piece.id !== undefined && call.upstreamId !== undefined && piece.id !== call.upstreamId) {
    return calls.findLastIndex((other) => other.index === piece.index && other.upstreamId === piece.id)
  }
  // No id to go by, but a name again behind arguments that are whole: the next call.
  const repeats = piece.id === undefined && piece.name !== undefined && call.name !== ""
  return repeats && isObject(parseJson(call.arguments)) ? -1 : at
}

/** Arguments are JSON text; a few servers send them parsed. */
const argumentText = (value: unknown): string => {
  if (typeof value === "string") return value
  return isObject(value) ? JSON.stringify(value) : ""
}

const tell = (before: Call, after: Call, back: Back, events: Array<GenerationEvent>): void => {
  if (after.name === "") return
  const name = back.callerName(after.name)
  const kind = back.isCustom(name) ? "custom" : "function"
  if (before.name === "") events.push({ type: "tool-call-start", callId: after.id, name, kind })
  if (kind === "custom") return
  const told = before.name === "" ? 0 : before.arguments.length
  if (after.arguments.length > told) {
    events.push({ type: "tool-call-delta", callId: after.id, text: after.arguments.slice(told) })
  }
}

/** What is only told at the end: a custom tool's input, which was wrapped, and the arguments of a call without any. */
const remainder = (call: Call, back: Back): string => {
  if (back.isCustom(back.callerName(call.name))) return unwrapCustom(call.arguments)
  return call.arguments === "" ? "{}" : ""
}
