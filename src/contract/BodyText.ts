import { isJsonObject } from "./fields.ts"
import type { JsonObject } from "./fields.ts"

/** Where a member of a JSON object stands in its text. */
export interface Member {
  /** Before its key, at its colon, and behind its value. */
  readonly from: number
  readonly colon: number
  readonly to: number
  /** Of a list: where its opening bracket, its commas and its closing bracket are. */
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
 * and texts that are still the same values go as they came, and cost no serialising. Numbers are always written anew, so
 * that an upstream's reader gets the same of a long body as of a short one (`1024` for `1024.0`).
 *
 * A text that names a key twice in one object is never used: readers differ in which of the two they take, and what is
 * sent on must be what was looked at here.
 */
export class BodyText {
  readonly #text: string
  readonly #body: JsonObject
  readonly #places: Places
  /** The members by their names; undefined where the text is not to be used, and before it was looked at. */
  #named: ReadonlyMap<string, Member> | undefined
  #isNew = true

  /**
   * @param text JSON
   * @param body what it says
   */
  constructor(text: string, body: JsonObject, places: Places) {
    this.#text = text
    this.#body = body
    this.#places = places
  }

  /** As `JSON.stringify` writes a body that was made of this one, but for the spelling of what is unchanged. */
  write(changed: JsonObject): string {
    if (this.#isNew) this.#look()
    if (this.#named === undefined) return JSON.stringify(changed)
    let written = ""
    for (const name in changed) {
      const value = changed[name]
      if (value === undefined) continue
      if (written !== "") written += ","
      written += this.#written(this.#named.get(name), name, value)
    }
    return `{${written}}`
  }

  #look(): void {
    this.#isNew = false
    const { keys, members } = this.#places
    if (keysIn(this.#body) !== keys) return
    const nameOf = ({ colon, from }: Member): string => JSON.parse(this.#text.slice(from, colon))
    this.#named = new Map(members.map((member) => [nameOf(member), member]))
  }

  #written(member: Member | undefined, name: string, value: unknown): string {
    if (member === undefined) return `${JSON.stringify(name)}:${JSON.stringify(value)}`
    const came = this.#body[name]
    if (value === came && (typeof value === "string" || Array.isArray(value))) {
      return this.#text.slice(member.from, member.to)
    }
    const key = this.#text.slice(member.from, member.colon)
    if (Array.isArray(value) && Array.isArray(came)) return `${key}:${this.#list(value, came, member)}`
    return `${key}:${JSON.stringify(value)}`
  }

  /** Elements that are the same go as they came. They are compared from the end: what is put in stands before them. */
  #list(changed: ReadonlyArray<unknown>, came: ReadonlyArray<unknown>, { marks }: Member): string {
    const earlier = came.length - changed.length
    const isSame = (index: number) => index + earlier >= 0 && changed[index] === came[index + earlier]
    let written = ""
    for (let index = 0; index < changed.length;) {
      const from = index
      while (index < changed.length && isSame(index)) index++
      if (written !== "") written += ","
      if (index === from) written += JSON.stringify(changed[index++] ?? null)
      else written += this.#text.slice((marks[from + earlier] ?? 0) + 1, marks[index + earlier])
    }
    return `[${written}]`
  }
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
