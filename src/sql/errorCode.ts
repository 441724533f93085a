import { Predicate } from "effect"

/**
 * What a database calls what went wrong: `SQLITE_FULL`, or on Postgres the SQLSTATE (`23505`) or, where the server did
 * not answer, its client's own word (`ERR_POSTGRES_CONNECTION_CLOSED`). Empty where it says nothing.
 */
export const errorCode = (cause: unknown): string => {
  if (Predicate.hasProperty(cause, "errno") && typeof cause.errno === "string") return cause.errno
  return Predicate.hasProperty(cause, "code") ? String(cause.code) : ""
}
