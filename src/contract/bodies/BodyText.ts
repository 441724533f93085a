import { isJsonObject } from "../fields.ts"
import type { JsonObject } from "../fields.ts"

/** The position of a JSON object's member in its text. */
export interface Member {
  /** Offsets before the key, at the colon and after the value. */
  readonly from: number
  readonly colon: number
  readonly to: number
  /** Offsets of a list's opening bracket, commas and closing bracket; empty for very long lists. */
  readonly marks: ReadonlyArray<number>
}

/** The positions of a JSON object's members in its text. */
export interface Places {
  readonly members: Array<Member>
  /** The number of keys at all levels. */
  keys: number
}

/**
 * A body's text, kept beside the parsed body. A slightly changed body is written from it: unchanged lists and strings are
 * copied instead of serialised. Numbers outside lists are always serialised, so that upstreams see the same spelling in
 * long and short bodies (`1024` for `1024.0`).
 *
 * A text with a duplicate key is never reused: JSON readers disagree on which value wins, and the upstream must get the
 * value that was validated here.
 */
export class BodyText {
  /** Undefined if the text must not be reused or was released. */
  #source: Source | undefined
  /** The members by name; undefined until the first write. */
  #named: ReadonlyMap<string, Member> | undefined

  /**
   * @param text JSON
   * @param body the parsed text
   */
  constructor(text: string, body: JsonObject, places: Places) {
    this.#source = { text, body, places }
  }

  /** Like `JSON.stringify(changed)`, with the original spelling of unchanged parts. */
  write(changed: JsonObject): string {
    const named = (this.#named ??= this.#look())
    if (this.#source === undefined) return JSON.stringify(changed)
    let written = ""
    for (const name of Object.keys(changed)) {
      const value = changed[name]
      if (value === undefined) continue
      if (written !== "") written += ","
      written += this.#written(this.#source, named.get(name), name, value)
    }
    return `{${written}}`
  }

  /** Releases the text: later writes serialise everything. */
  forget(): void {
    this.#source = undefined
    this.#named = none
  }

  #look(): ReadonlyMap<string, Member> {
    if (this.#source === undefined) return none
    const { body, places, text } = this.#source
    if (keysIn(body) === places.keys) {
      return new Map(places.members.map((member) => [JSON.parse(text.slice(member.from, member.colon)), member]))
    }
    this.#source = undefined
    return none
  }

  #written({ body, text }: Source, member: Member | undefined, name: string, value: unknown): string {
    if (member === undefined) return `${JSON.stringify(name)}:${JSON.stringify(value)}`
    const { colon, from, marks, to } = member
    const came = body[name]
    if (value === came && (typeof value === "string" || Array.isArray(value))) return text.slice(from, to)
    const isMarked = Array.isArray(value) && Array.isArray(came) && marks.length === came.length + 1
    return `${text.slice(from, colon)}:${isMarked ? listFrom(text, value, came, marks) : JSON.stringify(value)}`
  }
}

interface Source {
  readonly text: string
  readonly body: JsonObject
  readonly places: Places
}

const none: ReadonlyMap<string, Member> = new Map()

/** Copies unchanged elements. Compares from the end, because elements are inserted at the front. */
const listFrom = (
  text: string,
  changed: ReadonlyArray<unknown>,
  came: ReadonlyArray<unknown>,
  marks: ReadonlyArray<number>
): string => {
  const earlier = came.length - changed.length
  const isSame = (index: number) => index + earlier >= 0 && changed[index] === came[index + earlier]
  let written = ""
  for (let index = 0; index < changed.length;) {
    const from = index
    while (index < changed.length && isSame(index)) index++
    if (written !== "") written += ","
    if (index === from) written += JSON.stringify(changed[index++] ?? null)
    else written += text.slice((marks[from + earlier] ?? 0) + 1, marks[index + earlier])
  }
  return `[${written}]`
}

/** The number of keys at all levels of a value. */
const keysIn = (value: unknown): number => {
  let keys = 0
  if (Array.isArray(value)) {
    for (const element of value) {
      if (typeof element === "object") keys += keysIn(element)
    }
  } else if (isJsonObject(value)) {
    for (const key in value) {
      const member = value[key]
      keys++
      if (typeof member === "object") keys += keysIn(member)
    }
  }
  return keys
}
