import type { Caller } from "../contract/callers/Caller.ts"
import type { Failure } from "../contract/failures/Failure.ts"
import type { Admitted } from "../contract/callers/Standing.ts"
import { messagesOf } from "../limits/messagesOf.ts"
import { Future, Failed } from "../flow/Future.ts"
import type { Settled } from "../flow/Future.ts"
import { tellSpending } from "./agentRefusal.ts"
import type { Route } from "./compile.ts"
import type { Exchange } from "./exchange.ts"
import { tellWhole } from "./rateHeaders.ts"
import { run } from "./run.ts"
import type { HungUp } from "./run.ts"

/** The caller, or the refusal. */
export type Opened = Settled<Caller, Failure | HungUp>

/** Authenticates the caller and applies the request rate limit. */
export const authenticate = (exchange: Exchange, route: Route): Opened | Promise<Opened> => {
  const caller = run(exchange, exchange.serving.access.authenticate(exchange.request.headers, exchange, route))
  if (!(caller instanceof Promise)) return admit(exchange, route, caller)
  exchange.hasWaited = true
  return caller.then((known) => admit(exchange, route, known))
}

const admit = (exchange: Exchange, route: Route, caller: Opened): Opened | Promise<Opened> => {
  if (caller instanceof Failed) return caller
  exchange.record.opened(caller.value)
  const { openedBy, spending } = caller.value
  exchange.isAgent = openedBy === "sign-in" && route.group === "messages"
  if (exchange.isAgent && spending !== undefined) tellSpending(exchange.reply.headers, spending)
  const counted = route.isOfMessages ? messagesOf(caller.value) : caller.value
  const answer = run(exchange, exchange.serving.access.admit(counted))
  if (!(answer instanceof Promise)) return admissionOf(exchange, route, caller, answer)
  exchange.hasWaited = true
  return answer.then((end) => admissionOf(exchange, route, caller, end))
}

const admissionOf = ({ reply }: Exchange, route: Route, caller: Opened, answer: Settled<Admitted, HungUp>): Opened => {
  if (answer instanceof Failed) return answer
  if (route.tellStanding !== undefined) tellWhole(route.tellStanding, reply.headers, answer.value)
  return answer.value.refusal === undefined ? caller : Future.fail(answer.value.refusal)
}
