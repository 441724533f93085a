import { Effect } from "effect"
import { openDecoder } from "../contract/open.ts"
import { refusing } from "../contract/refusing.ts"
import type { Quoter } from "../ledger/Quote.ts"
import { Dispatch } from "../dispatch/Dispatch.ts"
import { makeEstimate } from "../dispatch/estimate.ts"
import { understand } from "./decode.ts"
import { CreateMessage } from "./Request.ts"
import { Threads } from "./threads/Threads.ts"

const decodeBody = refusing(openDecoder(CreateMessage))

/** Quotes a body of `POST /v1/messages`. */
export const makeMessagesQuoter = Effect.map(
  Effect.all([Dispatch, makeEstimate, Threads]),
  ([dispatch, estimate, threads]): Quoter =>
    (caller, body) =>
      decodeBody(body).pipe(
        Effect.flatMap((payload) => threads.whole(caller, payload, body)),
        Effect.flatMap((request) => {
          const { conversation, ...judged } = understand(request, body)
          return dispatch.quote(caller, conversation, { family: "messages", ...judged })
        }),
        Effect.flatMap((quote) => estimate(caller, quote))
      )
)
