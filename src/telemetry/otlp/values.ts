import { isJsonObject } from "../../contract/fields.ts"

export interface KeyValue {
  readonly key: string
  readonly value: AnyValue
}
export type AnyValue =
  | { readonly stringValue: string }
  | { readonly boolValue: boolean }
  | { readonly intValue: number }
  | { readonly doubleValue: number }
  | { readonly arrayValue: { readonly values: ReadonlyArray<AnyValue> } }
  | { readonly kvlistValue: { readonly values: ReadonlyArray<KeyValue> } }

export type Attributes = Readonly<Record<string, string | number | boolean | ReadonlyArray<string> | undefined>>

/** Characters of a text attribute. Callers choose paths, and thousands of spans may wait. */
const longest = 1_024

/** Attributes in OTLP's form, of any values that JSON has; undefined ones are left out. */
export const keyValues = (attributes: Readonly<Record<string, unknown>>): ReadonlyArray<KeyValue> => {
  const all: Array<KeyValue> = []
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== undefined) all.push({ key, value: anyValue(value) })
  }
  return all
}

/** The beginning of a text. Collectors refuse halves of surrogate pairs, which callers may send and a cut may leave. */
export const wellFormed = (text: string, most = longest): string => text.slice(0, most).toWellFormed()

const anyValue = (value: unknown): AnyValue => {
  switch (typeof value) {
    case "string":
      return { stringValue: wellFormed(value) }
    case "boolean":
      return { boolValue: value }
    case "number":
      // The library encodes negative integers wrongly.
      return Number.isSafeInteger(value) && value >= 0 ? { intValue: value } : { doubleValue: value }
    default:
      if (Array.isArray(value)) return { arrayValue: { values: value.map(anyValue) } }
      return isJsonObject(value) ? { kvlistValue: { values: keyValues(value) } } : { stringValue: String(value) }
  }
}
