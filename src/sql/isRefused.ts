import { SqlError } from "@effect/sql/SqlError"
import { errorCode } from "./errorCode.ts"

/**
 * True if the database will always refuse the write: a violated constraint or trigger, a value that a column can't
 * represent (SQLSTATE classes 22 and 23), a text that is too long for an index (54).
 */
export const isRefused = (error: unknown): boolean => {
  if (!(error instanceof SqlError)) return false
  const code = errorCode(error.cause)
  return code.startsWith("SQLITE_CONSTRAINT") || /^(2[23]|54)[0-9A-Z]{3}$/.test(code)
}
