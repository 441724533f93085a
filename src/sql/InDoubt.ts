import type { SqlError } from "@effect/sql/SqlError"
import { Data } from "effect"

/** The outcome of a write is unknown: the connection was lost while it ran. */
export class InDoubt extends Data.TaggedError("InDoubt")<{ readonly because: SqlError }> {
  override get message(): string {
    return `the outcome of the write is unknown: ${this.because.message}`
  }
}
