import type { Failure } from "../contract/failures/Failure.ts"
import { Failed } from "../flow/Future.ts"
import type { Future } from "../flow/Future.ts"
import type { Running } from "./ending.ts"

/** Releases what a look-up claimed. */
export type Release = NonNullable<Running<unknown>["release"]>

/** Runs once. */
export const once = (release: Release): Release => {
  let isReleased = false
  return (how) => {
    if (!isReleased) release(how)
    isReleased = true
  }
}

/** Releases what the request claimed if the work fails. */
export const releaseAfter = <A>(work: Future<A, Failure>, release: Release): Future<A, Failure> => {
  work.onDone((end) => {
    if (end instanceof Failed) release("failed")
  })
  return work
}
