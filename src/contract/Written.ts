const text = Symbol("JSON")

/** A value that never changes, with the JSON that says it. */
interface Written {
  readonly [text]: string
}

/** Keeps a value's JSON with it: what is answered again and again is written once. */
export const writtenAs = <A extends object>(value: A, json: string): A =>
  Object.defineProperty(value, text, { value: json })

/** A value as JSON. */
export const jsonOf = (value: unknown): string => (isWritten(value) ? value[text] : JSON.stringify(value))

const isWritten = (value: unknown): value is Written => typeof value === "object" && value !== null && text in value
