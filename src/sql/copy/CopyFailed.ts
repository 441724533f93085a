import { Data } from "effect"

/** A database can't be copied; the target is unchanged. The message is one line for the operator. */
export class CopyFailed extends Data.TaggedError("CopyFailed")<{ readonly message: string }> {}
