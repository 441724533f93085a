import { Effect, Either } from "effect"
import { describe } from "../contract/describe.ts"
import { InvalidRequest } from "../contract/Failure.ts"
import { jsonDecoder } from "../contract/jsonDecoder.ts"
import type { Quoter } from "../ledger/Quote.ts"
import { makeQuoteText } from "../models/quoteText.ts"
import { decode } from "./decode.ts"
import { CreateMessage } from "./Request.ts"

const decodeBody = jsonDecoder(CreateMessage)

/** Quotes a body of `POST /v1/messages`. */
export const makeMessagesQuoter = Effect.map(
  makeQuoteText,
  (quoteText): Quoter =>
    (caller, body) =>
      Either.mapLeft(decodeBody(body), (issue) => new InvalidRequest(describe(issue))).pipe(
        Either.flatMap(decode),
        Effect.flatMap((conversation) => quoteText(caller, conversation))
      )
)
