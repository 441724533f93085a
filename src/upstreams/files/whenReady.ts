import type { Effect } from "effect"
import type { Failure } from "../../contract/failures/Failure.ts"
import { runFuture } from "../../flow/runFuture.ts"
import type { Future } from "../../flow/Future.ts"
import type { Generation } from "../../generation/Generation.ts"
import type { CallerFiles } from "../../guard/CallerFiles.ts"
import type { GenerateOptions } from "../Upstream.ts"
import type { UpstreamError } from "../UpstreamError.ts"

type Call = Future<Generation, Failure | UpstreamError>

/** Sends a request once its files are there. They are kept for the next route until an upstream has accepted it. */
export const whenReady = <A>(
  preparing: Effect.Effect<A, Failure>,
  { attempt, runtime, serves }: GenerateOptions,
  files: CallerFiles,
  send: (ready: A) => Call
): Call => {
  const sends = attempt?.prepares()
  return runFuture(runtime, preparing).flatMap((ready) => {
    sends?.()
    return send(ready).map((generation) => {
      if (serves !== undefined) files.forget(serves.request)
      return generation
    })
  })
}
