import { Data } from "effect"

/** A server or its sign-in does not answer as it should. The message is for a person, and holds nothing of its answer. */
export class ConnectFailed extends Data.TaggedError("ConnectFailed")<{
  readonly message: string
  /** The code of an error of OAuth; absent if none came. */
  readonly code?: string
}> {}
