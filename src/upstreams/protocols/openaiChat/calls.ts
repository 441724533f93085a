import type { JsonObject } from "../../../contract/fields.ts"
import type { GenerationEvent } from "../../../generation/GenerationEvent.ts"
import { appendText } from "../../../generation/appendText.ts"
import type { Back } from "../back.ts"
import { isCut, unwrapCustom } from "../back.ts"
import { TakenIds } from "../callIds.ts"
import { signatureOf } from "./signedCalls.ts"
import { isObject, numberAt, objectAt, parseJson, textAt } from "../../../contract/json.ts"
import { ObjectEnd } from "./ObjectEnd.ts"

interface Call {
  /** Its position in the list of calls. */
  readonly place: number
  readonly index: number | undefined
  /** The upstream's id; undefined if it gave none. */
  upstreamId: string | undefined
  /** The id that the caller sees: the upstream's, unless it is missing or taken. */
  readonly id: string
  /** The upstream's name. The call is not emitted while it is empty. */
  name: string
  arguments: string
  readonly end: ObjectEnd
}

interface Piece {
  readonly index: number | undefined
  readonly id: string | undefined
  readonly name: string | undefined
}

/** The tool calls of an answer, in order. A step takes constant time, however many calls there are. */
export class Calls {
  readonly #calls: Array<Call> = []
  readonly #ids = new TakenIds()
  /** The position of the last call for an index, an id, or both if several calls share an index. */
  readonly #places = new Map<number | string, number>()

  /**
   * Reads one entry of `tool_calls`. Servers identify calls by index, by id with the index always 0, or not at all if
   * calls come whole. Ids may be empty or repeated on every piece.
   */
  step(
    entry: JsonObject,
    { answerId, back }: { readonly back: Back; readonly answerId: string },
    events: Array<GenerationEvent>
  ): void {
    const fn = objectAt(entry, "function")
    const piece: Piece = {
      index: numberAt(entry, "index"),
      id: textAt(entry, "id") || undefined,
      name: textAt(fn, "name") || undefined
    }
    const text = argumentText(fn?.["arguments"])
    const call = this.#find(piece) ?? this.#begin(piece, answerId)
    if (call.upstreamId === undefined && piece.id !== undefined) {
      call.upstreamId = piece.id
      this.#note(call)
    }
    const isNamed = call.name !== ""
    if (!isNamed) call.name = piece.name ?? ""
    call.arguments = appendText(call.arguments, text)
    call.end.read(text)
    tell(call, isNamed ? text : undefined, back, events)
    const signature = signatureOf(entry)
    if (signature !== undefined) events.push({ type: "tool-call-signed", callId: call.id, signature })
  }

  /**
   * Ends every complete call. Servers may interleave calls, so they end with the answer.
   *
   * @param isCutOff true if the answer was cut, and with it a call without arguments
   */
  end(back: Back, isCutOff: boolean): ReadonlyArray<GenerationEvent> {
    return this.#calls.flatMap((call): ReadonlyArray<GenerationEvent> => {
      if (call.name === "") return []
      if (isCutOff && call.arguments === "") return []
      const rest = remainder(call, back)
      return [
        ...(rest === "" ? [] : [{ type: "tool-call-delta", callId: call.id, text: rest } as const]),
        // A cut call ends with a cut answer. In an answer that was not cut, it is a failure (`hasCut`).
        ...(isCutOff && isCut(call.arguments) ? [] : [{ type: "tool-call-end", callId: call.id } as const])
      ]
    })
  }

  /** True if the arguments of a call are not JSON, so they were cut. */
  hasCut(): boolean {
    return this.#calls.some((call) => call.name !== "" && isCut(call.arguments))
  }

  #begin({ id, index }: Piece, answerId: string): Call {
    const call: Call = {
      place: this.#calls.length,
      index,
      upstreamId: id,
      id: this.#ids.fresh(id ?? "", answerId),
      name: "",
      arguments: "",
      end: new ObjectEnd()
    }
    this.#calls.push(call)
    this.#note(call)
    return call
  }

  #note(call: Call): void {
    const note = (key: number | string, place: number) =>
      this.#places.set(key, Math.max(place, this.#places.get(key) ?? place))
    const { index, place, upstreamId } = call
    if (upstreamId !== undefined) note(`id ${upstreamId}`, place)
    if (index === undefined) return
    const earlier = this.#last(index)
    note(index, place)
    // Only calls that share an index need the combined key, which costs more than all else here.
    if (earlier === undefined || earlier === call) return
    for (const one of [earlier, call]) if (one.upstreamId !== undefined) note(`${index} ${one.upstreamId}`, one.place)
  }

  #last(key: number | string): Call | undefined {
    const place = this.#places.get(key)
    return place === undefined ? undefined : this.#calls[place]
  }

  /** The call that a piece continues; undefined if it begins a new one. */
  #find(piece: Piece): Call | undefined {
    const { id, index, name } = piece
    const call =
      index !== undefined ? this.#last(index) : id === undefined ? this.#calls.at(-1) : this.#last(`id ${id}`)
    if (call === undefined) return undefined
    if (id !== undefined && call.upstreamId !== undefined && id !== call.upstreamId) return this.#last(`${index} ${id}`)
    // Without an id, a repeated name after complete arguments begins the next call.
    const repeats = id === undefined && name !== undefined && call.name !== ""
    return repeats && isWhole(call) ? undefined : call
  }
}

const isWhole = (call: Call): boolean => {
  if (!call.end.isReached) return false
  const is = isObject(parseJson(call.arguments))
  // A closed text that is not an object stays so.
  if (!is) call.end.forget()
  return is
}

/** Arguments are JSON text. A few servers send them parsed. */
const argumentText = (value: unknown): string => {
  if (typeof value === "string") return value
  return isObject(value) ? JSON.stringify(value) : ""
}

/** @param text the next piece of the arguments; undefined if the call was not emitted yet */
const tell = (call: Call, text: string | undefined, back: Back, events: Array<GenerationEvent>): void => {
  if (call.name === "") return
  const name = back.callerName(call.name)
  const kind = back.isCustom(name) ? "custom" : "function"
  if (text === undefined) events.push({ type: "tool-call-start", callId: call.id, name, kind })
  if (kind === "custom") return
  const said = text ?? call.arguments
  if (said !== "") events.push({ type: "tool-call-delta", callId: call.id, text: said })
}

/** Content emitted only at the end: the unwrapped input of a custom tool, and `{}` for a call without arguments. */
const remainder = (call: Call, back: Back): string => {
  if (back.isCustom(back.callerName(call.name))) return unwrapCustom(call.arguments)
  return call.arguments === "" ? "{}" : ""
}
