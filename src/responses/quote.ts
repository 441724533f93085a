import { Effect } from "effect"
import { InvalidRequest } from "../contract/Failure.ts"
import { openDecoder } from "../contract/open.ts"
import { refusing } from "../contract/refusing.ts"
import type { Quoter } from "../ledger/Quote.ts"
import { Dispatch } from "../dispatch/Dispatch.ts"
import { makeEstimate } from "../dispatch/estimate.ts"
import { CreateResponse } from "./CreateResponse.ts"
import { replayFor } from "./replayFor.ts"
import { understand } from "./decode.ts"
import { ResponseStore } from "./store/ResponseStore.ts"

const decodeBody = refusing(openDecoder(CreateResponse))

/** Quotes a body of `POST /v1/responses`, the conversation that it continues included. */
export const makeResponsesQuoter = Effect.gen(function* () {
  const store = yield* ResponseStore
  const dispatch = yield* Dispatch
  const estimate = yield* makeEstimate
  const quoter: Quoter = Effect.fnUntraced(function* (caller, body) {
    const request = yield* decodeBody(body)
    const decoded = understand(request, body, yield* replayFor(store, caller.account, request))
    if (decoded instanceof InvalidRequest) return yield* decoded
    const { conversation, mayReachWeb, objection } = decoded
    const quote = yield* dispatch.quote(caller, conversation, { family: "responses", objection, mayReachWeb })
    return yield* estimate(caller, quote)
  })
  return quoter
})
