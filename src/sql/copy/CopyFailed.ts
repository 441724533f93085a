import { Data } from "effect"

/** A database can't be copied; the target is as it was. The message is one line that says why. */
export class CopyFailed extends Data.TaggedError("CopyFailed")<{ readonly message: string }> {}
