import { Effect } from "effect"
import type { Schema } from "effect"
import { InvalidRequest } from "../contract/Failure.ts"
import { openDecoder } from "../contract/open.ts"
import { refusing } from "../contract/refusing.ts"
import { nextTurn } from "../flow/eventLoop.ts"
import type { Conversation } from "../generation/Conversation.ts"
import type { Quoter } from "../ledger/Quote.ts"
import type { AdmissionRequest } from "./admit.ts"
import { makeQuoteText } from "./quoteText.ts"

/** A quoted body may be a large one. */
const turn = Effect.promise(nextTurn)

/** What a family makes of a request, and what is asked of it. */
type Understood = AdmissionRequest & { readonly conversation: Conversation }

/** A family's quoter of bodies that say everything themselves: nothing is looked up for them. */
export const quoterOf = <A, I>(
  schema: Schema.Schema<A, I>,
  understand: (request: A, body: unknown) => Understood | InvalidRequest,
  answersTo?: (request: A) => number
) => {
  const decodeBody = refusing(openDecoder(schema))
  return Effect.map(makeQuoteText, (quoteText): Quoter =>
    Effect.fnUntraced(function* (caller, body) {
      const request = yield* decodeBody(body)
      yield* turn
      const understood = understand(request, body)
      if (understood instanceof InvalidRequest) return yield* understood
      const { conversation, ...asked } = understood
      // Made here, and counted in the next one.
      yield* Effect.sync(() => conversation.items)
      yield* turn
      return yield* quoteText(caller, conversation, asked, answersTo?.(request))
    })
  )
}
