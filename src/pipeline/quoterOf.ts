import { Effect } from "effect"
import type { Schema } from "effect"
import type { Incoming } from "../contract/handlers.ts"
import { openDecoder } from "../contract/open.ts"
import { toInvalidRequest } from "../contract/failures/invalidRequests.ts"
import { makeEstimate } from "../dispatch/estimate.ts"
import { nextTurn } from "../flow/eventLoop.ts"
import type { Quoter } from "../ledger/Quote.ts"
import { Pipeline } from "./Pipeline.ts"
import type { TextFamily } from "./TextFamily.ts"

/** Makes a family's quoter from its endpoint's schema. */
export const quoterOf = <A, I, Stored, S, P, Answer, E, R>(
  path: string,
  schema: Schema.Schema<A, I>,
  makeFamily: Effect.Effect<TextFamily<A, Stored, S, P, Answer>, E, R>
) => {
  const decodeBody = toInvalidRequest(openDecoder(schema))
  return Effect.map(Effect.all([Pipeline, makeEstimate, makeFamily]), ([pipeline, estimate, family]): Quoter => {
    const quote = pipeline.quote(family)
    return Effect.fnUntraced(function* (caller, body, headers) {
      const payload = yield* decodeBody(body)
      yield* turn
      return yield* estimate(caller, yield* quote({ caller, payload, request: quotedRequest(path, body, headers) }))
    })
  })
}

const turn = Effect.promise(nextTurn)

/** A request with this body, which may be large. */
const quotedRequest = (path: string, body: unknown, headers: Headers): Incoming => ({
  id: "",
  method: "POST",
  path,
  headers,
  body,
  isLarge: true,
  replyHeaders: {},
  shutdown: new AbortController().signal
})
