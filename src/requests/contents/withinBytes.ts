import { isJsonObject } from "../../contract/fields.ts"

/** A JSON value within its bytes. */
interface Within<A> {
  readonly value: A
  readonly isCut: boolean
}

/**
 * The beginning of a list of JSON values: as much as its JSON takes at most so many bytes. At the end texts are cut, and
 * lists and objects end early.
 */
export const withinBytes = (values: ReadonlyArray<unknown>, bytes: number): Within<ReadonlyArray<unknown>> => {
  let left = bytes
  let isCut = false
  /** Takes the bytes, if they are there. */
  const pays = (cost: number): boolean => {
    if (cost <= left) left -= cost
    else isCut = true
    return !isCut
  }
  const text = (whole: string): string => {
    // A character takes a byte or more.
    let kept = whole.length > left ? whole.slice(0, left) : whole
    let cost = written(kept)
    while (cost > left && kept !== "") {
      kept = kept.slice(0, Math.min(kept.length - 1, Math.floor((kept.length * left) / cost)))
      cost = written(kept)
    }
    if (kept.length < whole.length) isCut = true
    left = Math.max(0, left - cost)
    return kept
  }
  const list = (from: ReadonlyArray<unknown>): ReadonlyArray<unknown> => {
    const to: Array<unknown> = []
    if (!pays(brackets)) return to
    for (const one of from) {
      if (isCut || !pays(comma)) break
      to.push(within(one))
    }
    return to
  }
  const within = (value: unknown): unknown => {
    if (typeof value === "string") return text(value)
    if (Array.isArray(value)) return list(value)
    if (!isJsonObject(value)) return pays(written(value)) ? value : null
    const to: Record<string, unknown> = {}
    if (!pays(brackets)) return to
    for (const [name, one] of Object.entries(value)) {
      if (one === undefined) continue
      if (isCut || !pays(written(name) + 2 * comma)) break
      to[name] = within(one)
    }
    return to
  }
  return { value: list(values), isCut }
}

const brackets = 2
const comma = 1

/** The bytes of a value's JSON. */
const written = (value: unknown): number => Buffer.byteLength(JSON.stringify(value) ?? "")

/** The same values without the last characters of the last text, which may be half a secret. */
export const withoutEnd = (values: ReadonlyArray<unknown>, characters: number): ReadonlyArray<unknown> => {
  const last = values.at(-1)
  return last === undefined ? values : [...values.slice(0, -1), endless(last, characters)]
}

const endless = (value: unknown, characters: number): unknown => {
  if (typeof value === "string") return value.slice(0, -characters)
  if (Array.isArray(value)) return withoutEnd(value, characters)
  if (!isJsonObject(value)) return value
  const last = Object.keys(value).at(-1)
  return last === undefined ? value : { ...value, [last]: endless(value[last], characters) }
}
