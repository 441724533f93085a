import { Effect, Either } from "effect"
import { describe } from "../contract/describe.ts"
import { InvalidRequest } from "../contract/Failure.ts"
import { jsonDecoder } from "../contract/jsonDecoder.ts"
import type { Quoter } from "../ledger/Quote.ts"
import { makeQuoteText } from "../models/quoteText.ts"
import { CreateResponse } from "./CreateResponse.ts"
import { replayFor } from "./create.ts"
import { decode } from "./decode.ts"
import { ResponseStore } from "./ResponseStore.ts"

const decodeBody = jsonDecoder(CreateResponse)

/** Quotes a body of `POST /v1/responses`, the conversation that it continues included. */
export const makeResponsesQuoter = Effect.gen(function* () {
  const store = yield* ResponseStore
  const quoteText = yield* makeQuoteText
  const quoter: Quoter = (caller, body) =>
    Effect.gen(function* () {
      const request = yield* Either.mapLeft(decodeBody(body), (issue) => new InvalidRequest(describe(issue)))
      const decoded = decode(request, yield* replayFor(store, caller, request))
      if (decoded instanceof InvalidRequest) return yield* decoded
      return yield* quoteText(caller, decoded.conversation)
    })
  return quoter
})
