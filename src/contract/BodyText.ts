import { isJsonObject } from "./fields.ts"
import type { JsonObject } from "./fields.ts"

/** Where a member of a JSON object stands in its text. */
export interface Member {
  /** Before its key, at its colon, and behind its value. */
  readonly from: number
  readonly colon: number
  readonly to: number
  /** Of a list that is not very long: where its opening bracket, its commas and its closing bracket are. */
  readonly marks: ReadonlyArray<number>
}

/** What a look through the text of a JSON object finds. */
export interface Places {
  readonly members: Array<Member>
  /** How many keys there are at all levels. */
  keys: number
}

/**
 * A body's text beside what was read from it. Whoever sends the body on with little changed writes it from the text: lists
 * and texts that are still the same values go as they came, and cost no serialising. Numbers that are not in a list are
 * written anew, so that an upstream's reader gets the same of a long body as of a short one (`1024` for `1024.0`).
 *
 * A text that names a key twice in one object is never used: readers differ in which of the two they take, and what is
 * sent on must be what was looked at here.
 */
export class BodyText {
  /** Undefined where it is not to be used, and once it was let go of. */
  #source: Source | undefined
  /** The members by their names; undefined before they were looked at. */
  #named: ReadonlyMap<string, Member> | undefined

  /**
   * @param text JSON
   * @param body what it says
   */
  constructor(text: string, body: JsonObject, places: Places) {
    this.#source = { text, body, places }
  }

  /** As `JSON.stringify` writes a body that was made of this one, but for the spelling of what is unchanged. */
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

  /** Lets go of the text: what is written after that is written anew. */
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

/** Elements that are the same go as they came. They are compared from the end: what is put in stands before them. */
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

/** How many keys a value has, at all levels. */
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
