import type { SqlError } from "@effect/sql/SqlError"
import { Data } from "effect"

/** Nobody knows for the moment whether something was stored: the database went away while it was. */
export class InDoubt extends Data.TaggedError("InDoubt")<{ readonly because: SqlError }> {
  override get message(): string {
    return `nobody knows yet whether it was stored: ${this.because.message}`
  }
}
