import { Predicate } from "effect"

/**
 * The database's code of an error: `SQLITE_FULL`, on Postgres the SQLSTATE (`23505`) or, if the server did not answer,
 * its client's code (`ERR_POSTGRES_CONNECTION_CLOSED`). Empty if there is none.
 */
export const errorCode = (cause: unknown): string => {
  if (Predicate.hasProperty(cause, "errno") && typeof cause.errno === "string") return cause.errno
  return Predicate.hasProperty(cause, "code") ? String(cause.code) : ""
}
