import type { JsonObject } from "../../../contract/fields.ts"
import type { GenerationEvent } from "../../../generation/GenerationEvent.ts"
import { appendText } from "../../../generation/appendText.ts"
import type { Back } from "../back.ts"
import { isCut, unwrapCustom } from "../back.ts"
import { TakenIds } from "../callIds.ts"
import { beginsQuoted, unquoted } from "../quoted.ts"
import { signatureOf } from "./signedCalls.ts"
import { isObject, numberAt, objectAt, parseJson, textAt } from "../../../contract/json/json.ts"
import { ObjectEnd } from "./ObjectEnd.ts"

interface Call {
  /** Its position in the list of calls. */
  readonly place: number
  readonly index: number | undefined
  /** The upstream's id; undefined if it gave none. */
  upstreamId: string | undefined
  /** The id that the caller sees: the upstream's, unless it is missing or taken. */
  readonly id: string
  /** The upstream's name, which may come in pieces. */
  name: string
  /** True once its start was emitted, so that the name is final. */
  isTold: boolean
  arguments: string
  /** Quoted arguments are told at the end. Undefined until they begin. */
  quoted: boolean | undefined
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
  /** A call whose name may go on. */
  #unnamed: Call | undefined

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
    const call = this.#find(piece, back) ?? this.#begin(piece, answerId)
    if (this.#unnamed !== call) this.#name(back, events)
    if (call.upstreamId === undefined && piece.id !== undefined) {
      call.upstreamId = piece.id
      this.#note(call)
    }
    if (!call.isTold) call.name = continuedName(call.name, piece.name ?? "")
    call.quoted ??= beginsQuoted(text)
    call.arguments = appendText(call.arguments, text)
    call.end.read(text)
    if (call.isTold) tellArguments(call, text, back, events)
    else {
      this.#unnamed = call
      if (call.arguments !== "" || back.isWholeName(call.name)) this.#name(back, events)
    }
    const signature = signatureOf(entry)
    if (signature !== undefined) events.push({ type: "tool-call-signed", callId: call.id, signature })
  }

  /**
   * Ends every complete call. Servers may interleave calls, so they end with the answer.
   *
   * @param isCutOff true if the answer was cut, and with it a call without arguments
   */
  end(back: Back, isCutOff: boolean): ReadonlyArray<GenerationEvent> {
    const named: Array<GenerationEvent> = []
    this.#name(back, named)
    const ended = this.#calls.flatMap((call): ReadonlyArray<GenerationEvent> => {
      if (call.name === "") return []
      if (isCutOff && call.arguments === "") return []
      const rest = remainder(call, back)
      return [
        ...(rest === "" ? [] : [{ type: "tool-call-delta", callId: call.id, text: rest } as const]),
        // A cut call ends with a cut answer. In an answer that was not cut, it is a failure (`hasCut`).
        ...(isCutOff && isCut(unquoted(call.arguments)) ? [] : [{ type: "tool-call-end", callId: call.id } as const])
      ]
    })
    return [...named, ...ended]
  }

  /** Emits the start of the call whose name was awaited, unless it has none yet. */
  #name(back: Back, events: Array<GenerationEvent>): void {
    const call = this.#unnamed
    this.#unnamed = undefined
    if (call === undefined || call.name === "" || call.isTold) return
    call.isTold = true
    const name = back.callerName(call.name)
    const kind = back.isCustom(name) ? "custom" : "function"
    events.push({ type: "tool-call-start", callId: call.id, name, kind })
    tellArguments(call, call.arguments, back, events)
  }

  hasAny(): boolean {
    return this.#calls.length > 0
  }

  firstId(): string | undefined {
    return this.#calls[0]?.id
  }

  /** True if the arguments of a call are not JSON, so they were cut. */
  hasCut(): boolean {
    return this.#calls.some((call) => call.name !== "" && isCut(unquoted(call.arguments)))
  }

  #begin({ id, index }: Piece, answerId: string): Call {
    const call: Call = {
      place: this.#calls.length,
      index,
      upstreamId: id,
      id: this.#ids.fresh(id ?? "", answerId),
      name: "",
      isTold: false,
      arguments: "",
      quoted: undefined,
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
  #find(piece: Piece, back: Back): Call | undefined {
    const { id, index, name } = piece
    const call =
      index !== undefined ? this.#last(index) : id === undefined ? this.#calls.at(-1) : this.#last(`id ${id}`)
    if (call === undefined) return undefined
    if (id !== undefined && call.upstreamId !== undefined && id !== call.upstreamId) return this.#last(`${index} ${id}`)
    if (id !== undefined || name === undefined || call.name === "") return call
    // Without an id, a repeated name after complete arguments begins the next call, and so does another tool's name.
    const isOther = name !== call.name && back.isWholeName(name) && back.isWholeName(call.name)
    return isOther || isWhole(call) ? undefined : call
  }
}

/** A name with its next piece. Some servers repeat what they have of it instead. */
export const continuedName = (name: string, piece: string): string => (piece.startsWith(name) ? piece : name + piece)

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

/** @param text the next piece of the arguments */
const tellArguments = (call: Call, text: string, back: Back, events: Array<GenerationEvent>): void => {
  if (text === "" || call.quoted === true || back.isCustom(back.callerName(call.name))) return
  events.push({ type: "tool-call-delta", callId: call.id, text })
}

/**
 * Content emitted only at the end: the unwrapped input of a custom tool, arguments that were quoted, and `{}` for a call
 * without arguments.
 */
const remainder = (call: Call, back: Back): string => {
  const plain = unquoted(call.arguments)
  if (back.isCustom(back.callerName(call.name))) return unwrapCustom(plain)
  if (call.quoted === true) return plain
  return call.arguments === "" ? "{}" : ""
}
