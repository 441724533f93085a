import { Effect } from "effect"
import type { Caller } from "../contract/callers/Caller.ts"
import { InvalidRequest } from "../contract/failures/Failure.ts"
import { ownName } from "../contract/callers/Own.ts"
import { Future } from "../flow/Future.ts"
import { toEffect } from "../flow/toEffect.ts"
import type { Route } from "./compile.ts"
import type { Exchange, Handler, Input } from "./exchange.ts"

interface KeyedCall {
  readonly exchange: Exchange
  readonly route: Route
  readonly handler: Handler
  readonly caller: Caller
  readonly input: Input
  readonly text: string
  readonly key: string
}

/** Runs the handler, unless a request with this `Idempotency-Key` is running or has been answered. */
export const once = ({
  caller,
  exchange,
  handler,
  input,
  key,
  route,
  text
}: KeyedCall): Effect.Effect<Response, unknown> =>
  /^[\x20-\x7e]{1,255}$/.test(key)
    ? exchange.serving.idempotency.answer(
        {
          account: caller.account,
          endpoint: `${route.group}.${route.name}`,
          key: ownName(caller, key),
          bodyHash: Bun.SHA256.hash(text, "hex")
        },
        (once) => {
          const work = handler({ ...input, request: { ...input.request, once } })
          return work instanceof Future ? toEffect(() => work, leave) : work
        },
        { status: route.status, render: (value) => JSON.stringify(route.encode(value)) }
      )
    : Effect.fail(malformedKey)

/** Cancels an answer that has no reader. */
const leave = (answer: unknown): void => {
  if (answer instanceof Response) void answer.body?.cancel()
}

const malformedKey = new InvalidRequest({
  param: null,
  message: "Idempotency-Key: expected 1 to 255 printable ASCII characters"
})
