import { Data } from "effect"

/** A file was refused; `too-large` is permanent. */
export class NotKept extends Data.TaggedError("NotKept")<{
  readonly why: "too-large" | "no-room" | "no-clip" | "broken"
  readonly message: string
}> {}
