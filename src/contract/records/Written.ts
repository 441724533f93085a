const text = Symbol("JSON")

/** An immutable value with its JSON. */
interface Written {
  readonly [text]: string
}

/** Caches a value's JSON on it, so that repeated answers are serialised once. */
export const writtenAs = <A extends object>(value: A, json: string): A =>
  Object.defineProperty(value, text, { value: json })

/** A value as JSON. */
export const jsonOf = (value: unknown): string => (isWritten(value) ? value[text] : JSON.stringify(value))

const isWritten = (value: unknown): value is Written => typeof value === "object" && value !== null && text in value
