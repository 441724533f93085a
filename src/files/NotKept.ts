import { Data } from "effect"

/** Why a file is not kept; `too-large` is for good. */
export class NotKept extends Data.TaggedError("NotKept")<{
  readonly why: "too-large" | "no-room" | "no-clip" | "broken"
  readonly message: string
}> {}
