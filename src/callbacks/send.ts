import { Clock, Data, Effect, Redacted } from "effect"
import type { SqlError } from "@effect/sql/SqlError"
import { Webhook } from "standardwebhooks"
import { WebhookSecrets } from "../access/WebhookSecrets.ts"
import { alertsAccount } from "../access/alertsAccount.ts"
import { CallbackTransport } from "./CallbackTransport.ts"
import type { CallbackReply, CallbackRequest } from "./CallbackTransport.ts"
import type { Delivery, LeasedDelivery, Outcome } from "./Delivery.ts"
import { CurrentTracing } from "../telemetry/tracing/Tracing.ts"
import { parseRetryAfterMs } from "./schedule.ts"

type AttemptResult = Pick<Outcome, "status" | "reason" | "retryAfterMs">

/**
 * How long after its claim a delivery may be sent, in ms. A process that was suspended for longer may have lost its claim,
 * and another may have sent later changes of the task: the receiver would get them out of order.
 */
const sendWithinMs = 5_000

/** Its claim was too long ago; nothing was sent. */
export class ClaimTooOld extends Data.TaggedError("ClaimTooOld")<{}> {}

/**
 * One attempt: the stored bytes, signed now with every secret that is valid now (Standard Webhooks), by the
 * transport. Every ending is an `Outcome`.
 */
export const makeSend = Effect.gen(function* () {
  const transport = yield* CallbackTransport
  const secrets = yield* WebhookSecrets
  const tracing = yield* CurrentTracing

  return Effect.fnUntraced(function* (delivery: LeasedDelivery): Effect.fn.Return<Outcome, SqlError | ClaimTooOld> {
    const startedAtMs = yield* Clock.currentTimeMillis
    const trace = tracing?.delivery(delivery.task_id, delivery.trace)
    const signing = yield* secrets.signing(delivery.account_id)
    const headers = { ...baseHeaders, ...signatureOf(delivery, startedAtMs, signing), ...trace?.headers() }
    if ((yield* Clock.currentTimeMillis) - delivery.claimedAtMs >= sendWithinMs) return yield* new ClaimTooOld()
    const came = yield* Effect.match(transport.send(requestOf(delivery, headers)), {
      onFailure: ({ reason }): AttemptResult => ({ reason }),
      onSuccess: (reply) => read(reply, startedAtMs)
    })
    const outcome: Outcome = { ...came, startedAtMs, endedAtMs: yield* Clock.currentTimeMillis }
    if (trace !== undefined) tracing?.delivered(trace, traced(delivery, outcome))
    return outcome
  })
})

const requestOf = ({ account_id, body, url }: Delivery, headers: CallbackRequest["headers"]): CallbackRequest =>
  account_id === alertsAccount ? { url, headers, body, isOperators: true } : { url, headers, body }

const traced = (delivery: Delivery, outcome: Outcome) => ({
  id: delivery.id,
  taskId: delivery.task_id,
  state: delivery.status,
  host: delivery.host,
  attempt: delivery.attempts.length + 1,
  fromMs: outcome.startedAtMs,
  toMs: outcome.endedAtMs,
  status: outcome.status,
  reason: outcome.reason
})

const baseHeaders = { "content-type": "application/json", "user-agent": "model-gateway" }

const signatureOf = (delivery: Delivery, nowMs: number, secrets: ReadonlyArray<Redacted.Redacted>) => ({
  "webhook-id": delivery.id,
  "webhook-timestamp": String(Math.floor(nowMs / 1000)),
  "webhook-signature": secrets
    .map((secret) => new Webhook(Redacted.value(secret)).sign(delivery.id, new Date(nowMs), delivery.body))
    .join(" ")
})

/** Any answer but a 410 may put off the next attempt, or the next change. */
const read = ({ status, headers }: CallbackReply, nowMs: number): AttemptResult => {
  if (status === 410) return { status, reason: "the receiver wants no more of it" }
  const retryAfterMs = parseRetryAfterMs(headers["retry-after"], nowMs)
  if (status >= 200 && status < 300) return { status, retryAfterMs }
  const reason = status >= 300 && status < 400 ? "redirects are not followed" : "not a 2xx answer"
  return { status, reason, retryAfterMs }
}
