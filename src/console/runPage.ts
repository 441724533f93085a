import { Effect, Runtime } from "effect"

/**
 * Runs a page beside the contract to its answer. A defect, such as a database that does not answer, is logged.
 *
 * @param failed the answer to a defect
 */
export const runPage = (
  runtime: Runtime.Runtime<never>,
  answer: Effect.Effect<Response>,
  failed: () => Response
): Promise<Response> =>
  Runtime.runPromise(runtime)(
    Effect.catchAllCause(answer, (cause) => Effect.map(Effect.logError("a page failed", cause), failed))
  )
