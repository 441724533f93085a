import { Data } from "effect"

/** At least one upstream or server failed; details are printed already. */
export class NotAllAnswer extends Data.TaggedError("NotAllAnswer")<{ readonly message: string }> {}
