import { Cause, Effect, Option, Runtime } from "effect"
import type { Failure } from "../contract/failures/Failure.ts"
import { recordedAt, tracedBy } from "../contract/records/Trace.ts"
import { agentRefusal } from "./agentRefusal.ts"
import { failureResponse, failureOf, hungUp, json } from "./answer.ts"
import type { Exchange } from "./exchange.ts"
import { HungUp } from "./run.ts"

/** Answers with a failure in the family's form. */
export const renderedFailure = ({ isAgent, record, renderFailure, reply }: Exchange, failure: Failure): Response => {
  record.failed(failure)
  if (!isAgent) return failureResponse(reply, renderFailure, failure)
  // Only an answer tells how much of a budget is used: a refusal would tell what stood before it.
  for (const name of Object.keys(reply.headers)) {
    if (name.startsWith("anthropic-ratelimit-unified-")) delete reply.headers[name]
  }
  const toAgent = agentRefusal(failure, reply.requestId, Date.now())
  if (toAgent === undefined) return failureResponse(reply, renderFailure, failure)
  Object.assign(reply.headers, toAgent.headers)
  return json(reply, toAgent.status, toAgent.body)
}

/** Answers with the failure of a cause. */
export const renderedCause = (exchange: Exchange, cause: Cause.Cause<unknown>): Response => {
  if (Option.getOrUndefined(Cause.failureOption(cause)) instanceof HungUp) return endHungUp(exchange)
  const { reply, serving } = exchange
  const isStopping = serving.lifecycle.isDraining()
  return renderedFailure(exchange, failureOf(cause, reply.requestId, { isStopping, report: report(exchange) }))
}

/** Ends a request whose client left before the answer began. */
export const endHungUp = ({ record, reply }: Exchange): Response => {
  record.hungUp()
  return hungUp(reply)
}

/** Completes the record and the metrics just before the answer's head is sent. */
export const finish = ({ count, record, reply: { headers } }: Exchange, status: number, begun: number): void => {
  const millis = performance.now() - begun
  count(status, millis)
  record.adapted = headers["x-gateway-adapted"]
  record.clientRequestId = headers["x-client-request-id"]
  record.traceparent = (record.trace && recordedAt(record.trace)) ?? headers["traceparent"]
  record.answered(status, millis)
}

/** Logs a defect with the request id that the caller sees. */
const report =
  ({ record, reply, serving }: Exchange) =>
  (cause: Cause.Cause<unknown>) =>
    void Runtime.runFork(serving.runtime)(
      Effect.logError("request failed", cause).pipe(
        Effect.annotateLogs({ requestId: reply.requestId, ...tracedBy(record.trace) })
      )
    )
