import { Data } from "effect"

/** The database can't be opened; the message is one line for the operator. */
export class DatabaseUnavailable extends Data.TaggedError("DatabaseUnavailable")<{ readonly message: string }> {}
