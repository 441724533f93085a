import { Effect, Runtime } from "effect"
import type { GenerateOptions } from "../Upstream.ts"
import type { RefusedField } from "./refusedField.ts"

/**
 * Tells the operator, once a day, that a place refuses what its row in the tables of places takes.
 *
 * @param leftOut what a second try goes without; empty if there is none
 */
export const tellRefused = (
  { refusals, requestId, runtime, serves, upstreamModel: model }: GenerateOptions,
  upstream: string,
  refused: RefusedField,
  leftOut: ReadonlyArray<string>
): void => {
  const { path: field, words: said } = refused
  const account = serves?.caller.account
  if (refusals?.note({ account, upstream, model, path: field, words: said }) !== true) return
  const line = { event: "place.refused", requestId, upstream, model, field, said, left_out: leftOut.join(", ") }
  Runtime.runFork(runtime)(
    Effect.annotateLogs(Effect.logWarning("an upstream refused a field that the gateway sends there"), line)
  )
}
