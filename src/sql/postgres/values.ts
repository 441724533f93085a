import { SqlError } from "@effect/sql/SqlError"
import { errorCode } from "../errorCode.ts"

export type Row = Record<string, unknown>

/**
 * The part of a failure that may be logged: the server's details contain whole rows, and its messages of class 22 the
 * value.
 */
export const withoutValues = (cause: unknown): unknown => {
  if (!(cause instanceof Error)) return cause
  const code = errorCode(cause)
  const why = new Error(code.startsWith("22") ? "a value that the database does not take" : cause.message)
  const details = Object.fromEntries(
    loggable.flatMap((name) => (name in cause ? [[name, Reflect.get(cause, name)]] : []))
  )
  return Object.assign(why, { name: cause.name, ...details })
}

const loggable = ["code", "errno", "severity", "table", "column", "constraint", "routine"]

/** A statement's failure, in the server's form. */
export const refusal = (errno: string, message: string) => new SqlError({ cause: { errno }, message })

/** Postgres stores no NUL in a text, and its driver would round fractions: refuses both as the server would. */
export const unfit = (values: ReadonlyArray<unknown>): SqlError | undefined => {
  for (const value of values) {
    if (typeof value === "string" && value.includes("\0")) return refusal("22021", "a text holds a NUL")
    if (typeof value === "number" && !Number.isSafeInteger(value)) return refusal("22003", "a number is not whole")
  }
  return undefined
}

/**
 * The rows of an answer, with 64-bit integers as numbers. An integer that a number can't represent exactly is an error.
 */
export const rowsOf = (answer: unknown): ReadonlyArray<Row> | SqlError => {
  if (!isRows(answer)) return []
  for (const row of answer) {
    for (const column in row) {
      const value = row[column]
      if (typeof value !== "bigint") continue
      const number = Number(value)
      if (!Number.isSafeInteger(number)) return refusal("22003", `${column} is more than a number holds`)
      row[column] = number
    }
  }
  return answer
}

const isRows = (answer: unknown): answer is Array<Row> => Array.isArray(answer)
