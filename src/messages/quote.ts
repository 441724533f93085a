import { Effect } from "effect"
import { openDecoder } from "../contract/open.ts"
import { refusing } from "../contract/refusing.ts"
import type { Quoter } from "../ledger/Quote.ts"
import { makeQuoteText } from "../dispatch/quoteText.ts"
import { understand } from "./decode.ts"
import { CreateMessage } from "./Request.ts"
import { Threads } from "./threads/Threads.ts"

const decodeBody = refusing(openDecoder(CreateMessage))

/** Quotes a body of `POST /v1/messages`. */
export const makeMessagesQuoter = Effect.map(
  Effect.all([makeQuoteText, Threads]),
  ([quoteText, threads]): Quoter =>
    (caller, body) =>
      decodeBody(body).pipe(
        Effect.flatMap((payload) => threads.whole(caller, payload, body)),
        Effect.flatMap((request) => {
          const { conversation, ...judged } = understand(request, body)
          return quoteText(caller, conversation, { family: "messages", ...judged })
        })
      )
)
